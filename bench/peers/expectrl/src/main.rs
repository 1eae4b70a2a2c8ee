//! The expectrl driver of the peer benchmark: Session::spawn, expect and send_line, as its documentation shows them.
//!
//! Its Regex is compiled anew at each check and its wait is a busy loop; its asynchronous interface, which is another
//! one, is not measured. Options: see the package kit.

use std::collections::HashMap;
use std::process::{exit, Command};
use std::time::{Duration, Instant};

use expectrl::process::unix::WaitStatus;
use expectrl::session::OsSession;
use expectrl::{Any, Eof, Expect, Regex, Session};

type Failure = Box<dyn std::error::Error + Send + Sync>;

struct Options(HashMap<String, String>);

impl Options {
    fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }
    fn number(&self, name: &str, default: f64) -> f64 {
        self.text(name).parse().unwrap_or(default)
    }
    fn count(&self, name: &str) -> usize {
        self.number(name, 1.0) as usize
    }
    fn budget(&self) -> Duration {
        Duration::from_secs_f64(self.number("--budget", 60.0))
    }
    fn start(&self, argv: &[&str]) -> Result<OsSession, Failure> {
        let mut command = Command::new(argv[0]);
        command.args(&argv[1..]);
        let mut session = Session::spawn(command)?;
        session.set_expect_timeout(Some(Duration::from_secs_f64(self.number("--timeout", 10.0))));
        Ok(session)
    }
    fn pong(&self) -> Result<OsSession, Failure> {
        let mut session = self.start(&[self.text("--target"), "pong"])?;
        session.expect("READY\n")?;
        Ok(session)
    }
}

#[derive(Default)]
struct Outcome {
    seconds: f64,
    count: usize,
    wrong: usize,
    lost: usize,
    setup: f64,
    each: Vec<f64>,
    note: String,
}

impl Outcome {
    fn repeat(&mut self, o: &Options, mut op: impl FnMut(&mut Self, usize) -> Result<(), Failure>) -> Result<(), Failure> {
        let start = Instant::now();
        while self.count < o.count("--n") && start.elapsed() < o.budget() {
            let before = Instant::now();
            op(self, self.count)?;
            self.each.push(before.elapsed().as_secs_f64() * 1e6);
            self.count += 1;
        }
        self.seconds = start.elapsed().as_secs_f64();
        self.each.sort_by(f64::total_cmp);
        Ok(())
    }

    fn print(&self) {
        let at = |share: usize| self.each.get(self.each.len() * share / 100).copied().unwrap_or(0.0);
        println!(
            "{{\"seconds\": {}, \"count\": {}, \"wrong\": {}, \"lost\": {}, \"setup_s\": {}, \"p50_us\": {}, \"p99_us\": {}, \"note\": {:?}}}",
            self.seconds, self.count, self.wrong, self.lost, self.setup, at(50), at(99), self.note
        );
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let o = Options(args.chunks(2).map(|p| (p[0].clone(), p.last().unwrap().clone())).collect());
    if o.text("--workload") == "startup" {
        return;
    }
    let mut out = Outcome::default();
    if let Err(e) = work(&o, &mut out) {
        eprintln!("{e}");
        exit(1);
    }
    out.print();
    exit(0); // dropping what is still open would sleep
}

fn work(o: &Options, out: &mut Outcome) -> Result<(), Failure> {
    match o.text("--workload") {
        "spawn" => out.repeat(o, |out, _| {
            let mut session = o.start(&["true"])?;
            session.expect(Eof)?;
            if !matches!(session.get_process().wait()?, WaitStatus::Exited(_, 0)) {
                out.wrong += 1;
            }
            Ok(())
        }),
        "pingpong" => {
            let mut session = o.pong()?;
            out.repeat(o, |out, i| {
                if !ping(&mut session, i)? {
                    out.wrong += 1;
                }
                Ok(())
            })
        }
        "bulk" | "oneline" | "colour" | "trickle" => marker(o, out),
        "chatty" => {
            let start = Instant::now();
            let mut session = o.start(&[o.text("--target"), "spin"])?;
            if session.expect("never").is_ok() {
                out.wrong += 1;
            }
            out.seconds = start.elapsed().as_secs_f64();
            out.count = 1;
            std::mem::forget(session);
            Ok(())
        }
        "sessions" => fleet(o, out),
        "last" => out.repeat(o, |out, _| {
            let mut session = o.start(&[o.text("--target"), "last"])?;
            if let Err(e) = session.expect("last words") {
                out.lost += 1;
                out.note = e.to_string();
            }
            Ok(())
        }),
        other => Err(format!("unknown workload {other}").into()),
    }
}

fn ping(session: &mut OsSession, i: usize) -> Result<bool, Failure> {
    let number = i.to_string();
    session.send_line(&number)?;
    let found = session.expect(Regex(r"re:(\d+)\n"))?;
    Ok(found.get(1) == Some(number.as_bytes()))
}

fn marker(o: &Options, out: &mut Outcome) -> Result<(), Failure> {
    let mut patterns: Vec<Regex<String>> = (0..o.count("--patterns") - 1)
        .map(|i| Regex(format!("(warn|error|fatal): code {i:02} at [a-z]+")))
        .collect();
    patterns.push(Regex(r"DONE-(\d+)".to_string()));
    let start = Instant::now();
    let mut session = o.start(&[o.text("--target"), o.text("--workload"), o.text("--bytes")])?;
    let found = if patterns.len() == 1 {
        session.expect(patterns.remove(0))
    } else {
        session.expect(Any(patterns))
    };
    out.seconds = start.elapsed().as_secs_f64();
    out.count = 1;
    match found {
        Ok(m) if m.get(1) == Some(o.text("--bytes").as_bytes()) => {}
        Ok(m) => {
            out.wrong += 1;
            out.note = format!("matched {}", String::from_utf8_lossy(m.get(0).unwrap_or_default()));
        }
        Err(e) => {
            out.lost += 1;
            out.note = e.to_string();
        }
    }
    std::mem::forget(session); // closing it sleeps, and is not what is timed
    Ok(())
}

fn fleet(o: &Options, out: &mut Outcome) -> Result<(), Failure> {
    let start = Instant::now();
    let mut fleet = Vec::new();
    for _ in 0..o.count("--sessions") {
        fleet.push(o.pong()?);
    }
    out.setup = start.elapsed().as_secs_f64();
    let (n, budget, start) = (o.count("--n"), o.budget(), Instant::now());
    let mut threads = Vec::new();
    for mut session in fleet {
        threads.push(std::thread::spawn(move || -> Result<(usize, usize), Failure> {
            let (mut done, mut wrong) = (0, 0);
            while done < n && start.elapsed() < budget {
                if !ping(&mut session, done)? {
                    wrong += 1;
                }
                done += 1;
            }
            std::mem::forget(session);
            Ok((done, wrong))
        }));
    }
    for thread in threads {
        let (done, wrong) = thread.join().map_err(|_| "a thread panicked")??;
        out.count += done;
        out.wrong += wrong;
    }
    out.seconds = start.elapsed().as_secs_f64();
    Ok(())
}
