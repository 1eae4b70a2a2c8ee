"""Declarations for editors, written by omniexpect docs --write; the text comes from the declarations in builtins/."""

from __future__ import annotations
from typing import Any, Callable

duration = float | str | None
pattern = str | bytes | Any


class Session:
    """A running program and its terminal, from spawn()."""
    pid: int  # the process id
    name: str  # what messages call it
    rows: int  # height of the terminal
    cols: int  # width of the terminal
    alive: bool  # whether the program still runs
    status: Status  # how it ended, None while it runs

    def expect(self, pattern: pattern, timeout: duration = ..., *, idle: duration = ..., settle: duration = ..., view: str = ...) -> Match:
        """Wait until the output matches. Only the text up to the end of the match is consumed; a timeout consumes nothing. Of several patterns the one that is complete first in the output wins, then the first listed. A dict maps patterns to actions: a text is sent and ends the wait, a function gets the match, CONTINUE goes on."""

    def expect_eof(self, timeout: duration = ...) -> str:
        """Wait until the program has ended and its output is read. Returns the text that was still unread."""

    def peek(self, pattern: pattern, timeout: duration = ..., *, idle: duration = ..., settle: duration = ..., view: str = ...) -> Match:
        """Like expect, but nothing is consumed: the same text can be expected afterwards."""

    def expect_not(self, pattern: pattern, within: duration, *, view: str = ...) -> None:
        """Fail as soon as the output matches, and pass after a time without it, or when the program has ended without it. Nothing is consumed."""

    def expect_all(self, *patterns: Any, timeout: duration = ..., idle: duration = ..., view: str = ...) -> list:
        """Wait until all patterns have come, in any order. Text up to the end of the last match is consumed."""

    def wait_idle(self, quiet: duration, timeout: duration = ...) -> str:
        """Wait until nothing was written for a while, and return the unread text, which stays unread."""

    def read(self, n: int, timeout: duration = ..., *, view: str = ...) -> str:
        """Read a number of characters. At the end of the output it may be fewer."""

    def readline(self, timeout: duration = ...) -> str:
        """Read the next line, without its end."""

    def always(self, pattern: pattern, action: str | Callable[..., Any], *, limit: int = ...) -> Callable[..., Any]:
        """Serve a pattern whenever it shows up from now on, also while the script waits for something else. The action is a text to send, or a function that gets the match. Nothing is consumed. Returns a function that ends it and tells how often it was served."""

    def send(self, text: str, timeout: duration = ..., *, force: bool = ...) -> None:
        """Send exactly this text. Use sendline for a line with Enter."""

    def sendline(self, text: str = ..., timeout: duration = ..., *, force: bool = ...) -> None:
        """Send a line and press Enter. On a terminal that is CR, with raw=True or pty=False LF."""

    def submit(self, text: str, timeout: duration = ..., *, quiet: duration = ...) -> None:
        """Type a text into a full-screen program and press Enter as a key of its own. Text and Enter in one write are taken for a paste by many such programs; submit brackets the text where the program asked for that, waits until the output is quiet, presses Enter, and once more if nothing happened."""

    def send_eof(self, timeout: duration = ...) -> None:
        """Tell the program that its input ends. On a terminal that is Ctrl-D, twice after an unfinished line; pipes are closed."""

    def wait(self, timeout: duration = ...) -> Status:
        """Wait until the program has ended, whatever still holds its terminal. Output stays readable."""

    def output(self, view: str = ..., *, stderr: bool = ...) -> str:
        """All output so far, read or unread, as text or as the exact bytes. It is bounded by spawn's history."""

    def close(self) -> Status:
        """End the program and what it started, and wait for that. HUP, TERM and KILL in turn; may be called again; never fails."""

    def terminate(self) -> Status:
        """The same as close."""

    def resize(self, rows: int, cols: int) -> None:
        """Give the terminal another size. The program gets SIGWINCH."""

    def signal(self, signal: str | int, *, foreground: bool = ...) -> None:
        """Send a signal to the program."""


class Match:
    """What a wait found. m[0] is the text, m[1] the first group, m["name"] a named one."""
    text: str  # the match itself; "" for EOF, TIMEOUT and FULL
    groups: tuple  # the groups, the first at 0; "" for one that took no part
    named: dict  # the named groups
    before: str  # the unread output before the match
    index: int  # which pattern of the list it was
    value: Any  # what the action of a dict returned
    session: Session  # the session it was found in
    pattern: pattern  # the pattern that matched
    lost: int  # bytes of unread output dropped before this, because the buffer was full
    elapsed: float  # seconds the wait took


class Status:
    """How a program ended. It is true when that was with status 0."""
    code: int  # the exit status, None if a signal ended it
    signal: str  # the signal that ended it, like "SIGKILL", or None
    ok: bool  # status 0


class Result:
    """What catch() returns. It is true when the call succeeded."""
    ok: bool  # whether the call succeeded
    value: Any  # what it returned
    error: str  # the message of its failure, or None
    kind: str  # timeout, eof, exit, http, usage, script, assert, fail or env
    detail: str  # what was seen: unread output, a response body
    trace: str  # where it failed


class Response:
    """The answer of an HTTP call, whatever its status. It is true for statuses below 400."""
    status: int  # the status code
    ok: bool  # whether the status is below 400
    headers: Any  # by name, without regard to case
    text: str  # the body as text
    bytes: bytes  # the body as it came
    url: str  # after redirects
    elapsed: float  # seconds

    def json(self) -> Any:
        """The body decoded from JSON."""

    def raise_for_status(self) -> Response:
        """Fail if the status is 400 or above; else the response itself."""


class Finished:
    """What run() returns. It is true when the program ended with status 0."""
    output: str  # what it wrote, as text
    stdout: str  # the same
    stderr: str  # its standard error, with pty=False
    raw: bytes  # what it wrote, exactly, colour codes and all
    status: Status  # how it ended
    code: int  # its exit status, None after a signal
    signal: str  # the signal that ended it, or None
    ok: bool  # status 0


def spawn(argv: list | str, env: dict = ..., *, strip_env: list = ..., clean_env: bool = ..., cwd: str = ..., rows: int = ..., cols: int = ..., echo: bool = ..., raw: bool = ..., pty: bool = ..., timeout: duration = ..., kill: str = ..., name: str = ..., view: str = ..., keep_nul: bool = ..., eof: str = ..., buffer: int = ..., history: int = ...) -> Session:
    """Run a program on a terminal of its own. In the script itself the session becomes the current one, on which expect(), send() and the others act. It is ended when the script ends."""


def expect_any(sessions: dict, timeout: duration = ...) -> Match:
    """Wait on several sessions at once. The match says which it was in .session and .index. A session's end counts only when all have ended."""


def use(session: Session) -> Session:
    """Make a session the current one."""


def expect(pattern: pattern, timeout: duration = ..., *, idle: duration = ..., settle: duration = ..., view: str = ...) -> Match:
    """Wait until the output matches. Only the text up to the end of the match is consumed; a timeout consumes nothing. Of several patterns the one that is complete first in the output wins, then the first listed. A dict maps patterns to actions: a text is sent and ends the wait, a function gets the match, CONTINUE goes on."""


def expect_eof(timeout: duration = ...) -> str:
    """Wait until the program has ended and its output is read. Returns the text that was still unread."""


def peek(pattern: pattern, timeout: duration = ..., *, idle: duration = ..., settle: duration = ..., view: str = ...) -> Match:
    """Like expect, but nothing is consumed: the same text can be expected afterwards."""


def expect_not(pattern: pattern, within: duration, *, view: str = ...) -> None:
    """Fail as soon as the output matches, and pass after a time without it, or when the program has ended without it. Nothing is consumed."""


def expect_all(*patterns: Any, timeout: duration = ..., idle: duration = ..., view: str = ...) -> list:
    """Wait until all patterns have come, in any order. Text up to the end of the last match is consumed."""


def wait_idle(quiet: duration, timeout: duration = ...) -> str:
    """Wait until nothing was written for a while, and return the unread text, which stays unread."""


def read(n: int, timeout: duration = ..., *, view: str = ...) -> str:
    """Read a number of characters. At the end of the output it may be fewer."""


def readline(timeout: duration = ...) -> str:
    """Read the next line, without its end."""


def always(pattern: pattern, action: str | Callable[..., Any], *, limit: int = ...) -> Callable[..., Any]:
    """Serve a pattern whenever it shows up from now on, also while the script waits for something else. The action is a text to send, or a function that gets the match. Nothing is consumed. Returns a function that ends it and tells how often it was served."""


def send(text: str, timeout: duration = ..., *, force: bool = ...) -> None:
    """Send exactly this text. Use sendline for a line with Enter."""


def sendline(text: str = ..., timeout: duration = ..., *, force: bool = ...) -> None:
    """Send a line and press Enter. On a terminal that is CR, with raw=True or pty=False LF."""


def submit(text: str, timeout: duration = ..., *, quiet: duration = ...) -> None:
    """Type a text into a full-screen program and press Enter as a key of its own. Text and Enter in one write are taken for a paste by many such programs; submit brackets the text where the program asked for that, waits until the output is quiet, presses Enter, and once more if nothing happened."""


def send_eof(timeout: duration = ...) -> None:
    """Tell the program that its input ends. On a terminal that is Ctrl-D, twice after an unfinished line; pipes are closed."""


def wait(timeout: duration = ...) -> Status:
    """Wait until the program has ended, whatever still holds its terminal. Output stays readable."""


def output(view: str = ..., *, stderr: bool = ...) -> str:
    """All output so far, read or unread, as text or as the exact bytes. It is bounded by spawn's history."""


def exact(text: str | bytes, ignore_case: bool = ...) -> pattern:
    """A pattern that is the text itself, with no special characters. Bytes are searched byte for byte in the raw view."""


def glob(text: str, ignore_case: bool = ...) -> pattern:
    """A pattern with shell wildcards. It matches within a line and takes as little as it can."""


def regex(expr: str, ignore_case: bool = ...) -> pattern:
    """A regular expression as a value, to say ignore_case. A plain text is a regular expression already."""


def step(name: str, fn: Callable[..., Any] = ...) -> Any:
    """Name what happens now. Progress and the report show it with its time."""


def defer(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Call a function at the end of the script, last one first, whatever happens: also after a failure and after Ctrl-C."""


def catch(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Result:
    """Call a function and return a Result instead of failing. Interrupts, exit() and skip() pass through."""


def fail(*message: Any) -> Any:
    """End the script as failed, with a reason."""


def skip(reason: str = ...) -> Any:
    """End the script as passed because it cannot do its work here. The reason is printed."""


def exit(code: int = ...) -> Any:
    """End the script with an exit status."""


def sleep(duration: duration) -> None:
    """Do nothing for a while. To wait for something, expect() or poll_until() is better."""


def now() -> float:
    """Seconds on a monotonic clock, to measure with."""


def uuid4() -> str:
    """A new random UUID."""


def param(name: str, default: Any = ..., help: str = ..., *, type: str = ..., choices: list = ..., required: bool = ..., secret: bool = ...) -> Any:
    """Declare a parameter of the script and get its value. It stands at the top level with literal arguments, so that --help and unknown flags are known without running anything."""


def secret(value: str) -> Any:
    """A text that no output, log or error shows. It can be sent, formatted into other texts, given to HTTP calls and to env; everything that is printed has *** in its place."""


def env(name: str, default: Any = ...) -> str:
    """A variable of the environment."""


def http_get(url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., body: str = ..., auth: Any = ..., timeout: duration = ..., status: int | list = ..., follow: bool = ...) -> Response:
    """Send a GET request. The response is a value whatever its status, unless status= says which one is wanted; no connection is an error of kind env."""


def http_post(url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., body: str = ..., auth: Any = ..., timeout: duration = ..., status: int | list = ..., follow: bool = ...) -> Response:
    """Send a POST request. The response is a value whatever its status, unless status= says which one is wanted; no connection is an error of kind env."""


def http_put(url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., body: str = ..., auth: Any = ..., timeout: duration = ..., status: int | list = ..., follow: bool = ...) -> Response:
    """Send a PUT request. The response is a value whatever its status, unless status= says which one is wanted; no connection is an error of kind env."""


def http_patch(url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., body: str = ..., auth: Any = ..., timeout: duration = ..., status: int | list = ..., follow: bool = ...) -> Response:
    """Send a PATCH request. The response is a value whatever its status, unless status= says which one is wanted; no connection is an error of kind env."""


def http_delete(url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., body: str = ..., auth: Any = ..., timeout: duration = ..., status: int | list = ..., follow: bool = ...) -> Response:
    """Send a DELETE request. The response is a value whatever its status, unless status= says which one is wanted; no connection is an error of kind env."""


def http_head(url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., body: str = ..., auth: Any = ..., timeout: duration = ..., status: int | list = ..., follow: bool = ...) -> Response:
    """Send a HEAD request. The response is a value whatever its status, unless status= says which one is wanted; no connection is an error of kind env."""


def poll_until(fn: Callable[..., Any], timeout: duration = ..., interval: duration = ..., *, retry_on: list = ..., message: str = ..., backoff: float = ...) -> Any:
    """Call a function until what it returns is true, and return that. Values that are not true, refused and reset connections, HTTP timeouts and statuses 502 to 504 mean not yet; any other failure ends it at once. When the deadline comes, the failure says what was seen last."""


def retry(fn: Callable[..., Any], times: int = ..., *, on: list = ..., interval: duration = ...) -> Any:
    """Call a function again when it fails, and return what it returned."""


def inject(conversation: str, text: str, *, server: str = ..., timeout: duration = ...) -> dict:
    """Send a user's message into a conversation through the server, as the web page does. Any HTTP error is a failure. Returns the server's answer, which has pending_id or item_id."""


def omnigent_server(url: str = ...) -> str:
    """Name the omnigent server that inject() talks to, or ask which one it is. The script's --server is the default."""


def rm_transcript(external_session_id: str, home: str = ..., *, kind: str = ...) -> list:
    """Delete an agent's own transcript of a session, and return the paths that were removed. Only regular files of exactly that name below the agent's transcript folders are deleted; no link is followed."""


def run(argv: list | str, env: dict = ..., *, strip_env: list = ..., clean_env: bool = ..., cwd: str = ..., rows: int = ..., cols: int = ..., pty: bool = ..., input: str = ..., timeout: duration = ..., check: bool = ..., kill: str = ..., name: str = ...) -> Finished:
    """Run one command to its end and return its output and status. At the deadline it is killed, and the failure shows the end of what it wrote."""


def parallel(fns: list, *, limit: int = ..., fail_fast: bool = ...) -> list:
    """Call functions at the same time and return their values in order. The first failure cancels the rest and is the failure of the call, unless fail_fast=False. Each branch has a current session of its own."""


def sweep() -> list:
    """End every process that this run's programs started, daemons too, wherever they went. Returns what was ended. Sessions end by themselves at the end of a script; this is for what they are allowed to leave behind."""


def executable() -> str:
    """The path of the running omniexpect, to start it once more."""


def help(what: Any = ...) -> None:
    """Print what there is, or what is known about one thing: a builtin, a method, a module, a function of the script, a value, or a name given as text."""


class assert_:
    @staticmethod
    def eq(got: Any, want: Any, msg: str = ...) -> None:
        """Fail unless two values are equal. Both are shown."""
    @staticmethod
    def ne(got: Any, want: Any, msg: str = ...) -> None:
        """Fail if two values are equal."""
    @staticmethod
    def true_(cond: Any, msg: str = ...) -> None:
        """Fail unless a value is true."""
    @staticmethod
    def contains(container: Any, item: Any, msg: str = ...) -> None:
        """Fail unless a text, list, dict or set contains something."""
    @staticmethod
    def matches(text: str, pattern: str, msg: str = ...) -> None:
        """Fail unless a regular expression matches in a text."""
    @staticmethod
    def fails(fn: Callable[..., Any], *args: Any, kind: str = ..., error: str = ..., **kwargs: Any) -> Result:
        """Call a function and fail unless it fails, with this kind and message if given. Returns the Result."""


class fs:
    @staticmethod
    def temp_dir(prefix: str = ...) -> str:
        """Make a directory that vanishes when the script ends."""
    @staticmethod
    def read(path: str) -> str:
        """The text of a file."""
    @staticmethod
    def write(path: str, text: str, *, mode: int = ...) -> None:
        """Write a file as a whole: whoever reads it sees the old text or the new one."""
    @staticmethod
    def exists(path: str) -> bool:
        """Whether a file or directory is there."""
    @staticmethod
    def glob(pattern: str) -> list:
        """The paths that a pattern matches, sorted."""


class re:
    @staticmethod
    def findall(pattern: str, text: str) -> list:
        """All matches of a regular expression in a text: the matches, or the groups where the pattern has some."""

EOF: Any  # Pattern: the program has ended and all its output is read.
TIMEOUT: Any  # Pattern: the deadline, or the idle clock, has run out; as an outcome instead of an error.
FULL: Any  # Pattern: the unread output has reached its bound.
CONTINUE: Any  # In an action of expect: go on waiting, within the same deadline.
ARGS: Any  # The script's arguments that are no --parameters.
