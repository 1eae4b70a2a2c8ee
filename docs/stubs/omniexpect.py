"""Declarations for editors, written by omniexpect docs --write; the text comes from the declarations in builtins/."""

from __future__ import annotations
from typing import Any, Callable

duration = float | str | None
pattern = str | bytes | Any


class Session:
    """A running program and its terminal, from spawn()."""
    pid: int  # the process id
    name: str  # its name in messages
    rows: int  # height of the terminal
    cols: int  # width of the terminal
    prompt: pattern | None  # the prompt of a session of shell(), else None
    alive: bool  # whether the program is running
    status: Status | None  # how it ended; None while it runs

    def expect(self, pattern: pattern, timeout: duration = ..., *, idle: duration = ..., settle: duration = ..., view: str = ..., stream: str = ..., skip_echo: bool = ...) -> Match:
        """Wait until the output matches. Only the text up to the end of the match is consumed; a timeout consumes nothing. Of several patterns the one that is complete first in the output wins; of those that are complete at the same character the one that begins first, then the one listed first. 

A dict maps patterns to actions. A text, bytes or a secret is sent as it is, and the wait ends. A function is called with the match, or without arguments if it takes none; what it returns is the match's .value, and CONTINUE goes on waiting. None ends the wait, CONTINUE goes on. The actions of a list run in order, and the wait goes on if CONTINUE is in the list or one of its functions returns it: ["y\\r", CONTINUE] answers each time, [lambda m: seen.append(m[1]), "y\\r", CONTINUE] does two things. The deadline is for the whole wait. With pty=False, stream="stderr" waits for standard error, which has a position of its own."""

    def expect_eof(self, timeout: duration = ..., *, stream: str = ...) -> str:
        """Wait until the program has ended and all its output is read. Returns the text that was unread."""

    def peek(self, pattern: pattern, timeout: duration = ..., *, idle: duration = ..., settle: duration = ..., view: str = ..., stream: str = ..., skip_echo: bool = ...) -> Match:
        """Like expect, but nothing is consumed: the same text can be expected afterwards."""

    def expect_not(self, pattern: pattern, within: duration, *, view: str = ..., stream: str = ...) -> None:
        """Fail as soon as the output matches. Pass when the time is over or the program has ended without a match. Nothing is consumed."""

    def expect_all(self, *patterns: Any, timeout: duration = ..., idle: duration = ..., view: str = ..., stream: str = ...) -> list:
        """Wait until all patterns have matched, in any order. Text up to the end of the last match is consumed."""

    def wait_idle(self, quiet: duration, timeout: duration = ..., *, stream: str = ...) -> str:
        """Wait until the program has written nothing for a while, and return the unread text. It stays unread."""

    def read(self, n: int, timeout: duration = ..., *, view: str = ..., stream: str = ..., lost_ok: bool = ...) -> str:
        """Read a number of characters. At the end of the output it may return fewer. If unread output was dropped because the buffer was full, it fails and reads nothing."""

    def readline(self, timeout: duration = ..., *, stream: str = ..., lost_ok: bool = ...) -> str:
        """Read the next line, without its line ending. If unread output was dropped because the buffer was full, it fails and reads nothing."""

    def always(self, pattern: pattern, action: str | Callable[..., Any], *, limit: int = ..., stream: str = ...) -> Callable[..., Any]:
        """Act on a pattern whenever it appears from now on, also while the script waits for something else. The action is a text to send, or a function that is called with the match. Nothing is consumed. Matches of one pattern, or of one list, are handled in the order of the output; patterns of separate calls do not wait for each other. exit() in the function ends the run. Returns a function that stops this and returns how often the action ran."""

    def send(self, text: str, timeout: duration = ..., *, force: bool = ...) -> None:
        """Send exactly this text. Use sendline for a line with Enter."""

    def sendline(self, text: str = ..., timeout: duration = ..., *, force: bool = ...) -> None:
        """Send a line and press Enter. On a terminal that is CR, with raw=True or pty=False LF."""

    def submit(self, text: str, timeout: duration = ..., *, quiet: duration = ...) -> None:
        """Type a text into a full-screen program and press Enter as a key of its own. Many such programs treat text and Enter in one write as a paste. submit pastes the text in brackets if the program asked for that, waits until the output is quiet, but two seconds at most, presses Enter, and presses it once more if nothing happened. It is over as soon as the program has answered, or has reported by OSC 7501 that it is working or blocked. A program that shows nothing of what is typed gets one Enter. Where nothing tells whether the program took the text, submit says so in a note. At the deadline that is a failure."""

    def send_eof(self, timeout: duration = ...) -> None:
        """End the program's input. On a terminal that is Ctrl-D, twice after an unfinished line; a pipe is closed."""

    def wait(self, timeout: duration = ...) -> Status:
        """Wait until the program has ended, even if other processes still hold its terminal. Output can still be read."""

    def output(self, view: str = ..., *, stderr: bool = ...) -> str:
        """All output so far, read or unread, as text or as the exact bytes. The parameter history of spawn bounds it."""

    def close(self) -> Status:
        """End the program and what it started, with SIGHUP, SIGTERM and SIGKILL in turn, and wait for their end. It may be called again and never fails."""

    def terminate(self) -> Status:
        """The same as close."""

    def resize(self, rows: int, cols: int) -> None:
        """Change the terminal's size. The program gets SIGWINCH."""

    def signal(self, signal: str | int, *, foreground: bool = ...) -> None:
        """Send a signal to the program."""

    def keys(self, *keys: Any, delay: duration = ..., timeout: duration = ...) -> None:
        """Press keys by name, as an xterm sends them: ctrl-c, alt-x, shift-tab, up, pagedown, f5, enter, esc, or a single character. Arrow keys follow the mode the program has set."""

    def type_text(self, text: str, delay: duration = ..., *, timeout: duration = ...) -> None:
        """Type a text key by key with pauses, as a person does. A line ending in it presses Enter."""

    def paste(self, text: str, timeout: duration = ..., *, force: bool = ...) -> None:
        """Paste a text, in brackets if the program asked for bracketed paste. Enter is not pressed after it."""

    def send_file(self, path: str, *, delay: duration = ..., timeout: duration = ..., force: bool = ...) -> int:
        """Send a file byte for byte, in small pieces, each with its own deadline. Returns how many bytes were sent."""

    def wait_password(self, timeout: duration = ...) -> str:
        """Wait until the program asks for a password: its terminal's echo is off and the output ends with a prompt. A banner that mentions passwords is not a prompt. Returns the prompt; the output up to its end is consumed."""

    def send_secret(self, value: str | Any, timeout: duration = ...) -> None:
        """Wait for a password prompt as wait_password does, and send the value as a line. It is hidden in all output from now on. If the echo is never turned off, that is a failure and nothing is sent."""

    def cmd(self, text: str, timeout: duration = ..., *, prompt: pattern = ..., check: bool = ...) -> Command:
        """Run a command in a shell and return its output and status, whatever was left unread before. With a session of shell() the output is exactly what the command wrote. With other sessions prompt= is needed and the status is not known; the output is what was written between the echo of the command, however the program's line editor drew it, and the next prompt. A command with a tab or another control character is pasted if the program has turned bracketed paste on; otherwise such a character is a key. With pty=False the terminal does not echo, and an echo by the program stays in the output."""

    def interact(self, until: str = ..., *, on: dict = ..., on_input: dict = ...) -> Any:
        """Hand the session over to the person at the terminal, until a key, until the program ends, or until an action returns something. Unread output is shown first; the session gets the size of the window and follows it. Secrets stay hidden.

What a pattern of on_input matched does not reach the program, whatever kind of pattern it is, and its action runs once. What may still become a match is held back, however long the person takes, so the program neither gets nor shows it yet; if it begins with Esc, only for an instant. A pattern without an end, such as .*x, holds back 4096 bytes at most, and what takes nearly every character, as the dot and [^x] do, takes no control key such as Ctrl-C. A match counts as soon as it is complete: of "ab" and "abc" the second never comes. Enter is \\n or \\r in a pattern, ^ and $ are the ends of a line that is typed. When interact ends, what is held back goes to the program. What was typed after the key that ended it goes to the next interact() or ask_user().

The terminal gets its modes back whatever happens, also while a function of on= runs; the alternate screen, a hidden cursor and what else the program has switched in it go at the end. Without a terminal that is a failure of kind "env"."""

    def mirror(self, on: bool = ...) -> None:
        """Show on standard error what the session writes, as it comes, with secrets hidden. The flag -v does so for all sessions."""

    def explain(self, pattern: pattern, *, view: str = ..., stream: str = ...) -> str:
        """Return why a pattern does not match, as a failed wait reports it: another case, special characters, line endings, text already consumed, the echo of what was sent. The unread output follows."""


class Match:
    """What a wait found. m[0] is the text, m[1] the first group, m["name"] a named one."""
    text: str  # the match itself; "" for EOF, TIMEOUT and FULL
    groups: tuple  # the groups, the first at index 0; "" for one that did not match
    named: dict  # the named groups
    before: str  # the unread output before the match
    index: int  # which pattern of the list it was
    value: Any  # what the action of a dict returned
    session: Session | None  # the session it was found in; None for a stream
    pattern: pattern  # the pattern that matched
    lost: int  # bytes of unread output that were dropped before this match because the buffer was full
    elapsed: float  # how many seconds the wait took
    time: float  # when it was found, on the clock of now()


class Status:
    """How a program ended. It is true if the status is 0."""
    code: int | None  # the exit status; None if a signal ended it
    signal: str | None  # the signal that ended it, such as "SIGKILL", or None
    ok: bool  # whether the status is 0


class Result:
    """What catch() returns. It is true when the call succeeded."""
    ok: bool  # whether the call succeeded
    value: Any  # what it returned
    error: str | None  # the message of its failure, or None; a value as any other: secrets in it are hidden when it is printed, and are sent as they are
    kind: str | None  # timeout, eof, exit, http, usage, script, assert, fail or env; None without a failure
    detail: str | None  # what was seen, such as unread output or a response body, with secrets hidden, then the hints; None without a failure
    trace: str | None  # where it failed, None without a failure


class Response:
    """The response of an HTTP call, whatever its status. It is true if the status is below 400."""
    status: int  # the status code
    ok: bool  # whether the status is below 400
    headers: Any  # the headers by name, in any case; repeated ones are joined by a comma. get(name, default) returns one, all(name) lists them
    text: str  # the body as text
    bytes: bytes  # the body's bytes
    url: str  # the URL after redirects
    elapsed: float  # seconds until the last byte, redirects included
    reason: str  # the text after the status code
    method: str  # the method of the last request; a redirect may have changed it
    proto: str  # the protocol: HTTP/1.1 or HTTP/2.0
    cookies: dict  # the cookies that this response set, byte for byte
    refused_cookies: dict  # from names of cookies that this response set but that were not kept, to the reason
    history: list  # the redirects that led here
    saved: int  # how many bytes save_to wrote

    def json(self) -> Any:
        """The body decoded from JSON. If it is not JSON, the error shows the place."""

    def jsonpath(self, path: str) -> list:
        """Everything that an RFC 9535 path selects in the body."""

    def raise_for_status(self) -> Response:
        """Fail if the status is 400 or above; otherwise return the response."""


class Client:
    """An HTTP client with a base URL, headers and cookies of its own, from http()."""
    base: str  # the base URL

    def get(self, url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., files: dict = ..., body: str = ..., body_file: str = ..., cookies: dict = ..., auth: Any = ..., netrc: bool | str = ..., timeout: duration = ..., connect_timeout: duration = ..., max_body: int = ..., status: int | list = ..., follow: bool = ..., fresh: bool = ..., save_to: str = ..., progress: Callable[..., Any] = ..., verify: bool = ..., ca_file: str = ..., cert: str | tuple = ..., proxy: str = ...) -> Response:
        """Send a GET request with the client's headers and cookies."""

    def post(self, url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., files: dict = ..., body: str = ..., body_file: str = ..., cookies: dict = ..., auth: Any = ..., netrc: bool | str = ..., timeout: duration = ..., connect_timeout: duration = ..., max_body: int = ..., status: int | list = ..., follow: bool = ..., fresh: bool = ..., save_to: str = ..., progress: Callable[..., Any] = ..., verify: bool = ..., ca_file: str = ..., cert: str | tuple = ..., proxy: str = ...) -> Response:
        """Send a POST request with the client's headers and cookies."""

    def put(self, url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., files: dict = ..., body: str = ..., body_file: str = ..., cookies: dict = ..., auth: Any = ..., netrc: bool | str = ..., timeout: duration = ..., connect_timeout: duration = ..., max_body: int = ..., status: int | list = ..., follow: bool = ..., fresh: bool = ..., save_to: str = ..., progress: Callable[..., Any] = ..., verify: bool = ..., ca_file: str = ..., cert: str | tuple = ..., proxy: str = ...) -> Response:
        """Send a PUT request with the client's headers and cookies."""

    def patch(self, url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., files: dict = ..., body: str = ..., body_file: str = ..., cookies: dict = ..., auth: Any = ..., netrc: bool | str = ..., timeout: duration = ..., connect_timeout: duration = ..., max_body: int = ..., status: int | list = ..., follow: bool = ..., fresh: bool = ..., save_to: str = ..., progress: Callable[..., Any] = ..., verify: bool = ..., ca_file: str = ..., cert: str | tuple = ..., proxy: str = ...) -> Response:
        """Send a PATCH request with the client's headers and cookies."""

    def delete(self, url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., files: dict = ..., body: str = ..., body_file: str = ..., cookies: dict = ..., auth: Any = ..., netrc: bool | str = ..., timeout: duration = ..., connect_timeout: duration = ..., max_body: int = ..., status: int | list = ..., follow: bool = ..., fresh: bool = ..., save_to: str = ..., progress: Callable[..., Any] = ..., verify: bool = ..., ca_file: str = ..., cert: str | tuple = ..., proxy: str = ...) -> Response:
        """Send a DELETE request with the client's headers and cookies."""

    def head(self, url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., files: dict = ..., body: str = ..., body_file: str = ..., cookies: dict = ..., auth: Any = ..., netrc: bool | str = ..., timeout: duration = ..., connect_timeout: duration = ..., max_body: int = ..., status: int | list = ..., follow: bool = ..., fresh: bool = ..., save_to: str = ..., progress: Callable[..., Any] = ..., verify: bool = ..., ca_file: str = ..., cert: str | tuple = ..., proxy: str = ...) -> Response:
        """Send a HEAD request with the client's headers and cookies."""

    def options(self, url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., files: dict = ..., body: str = ..., body_file: str = ..., cookies: dict = ..., auth: Any = ..., netrc: bool | str = ..., timeout: duration = ..., connect_timeout: duration = ..., max_body: int = ..., status: int | list = ..., follow: bool = ..., fresh: bool = ..., save_to: str = ..., progress: Callable[..., Any] = ..., verify: bool = ..., ca_file: str = ..., cert: str | tuple = ..., proxy: str = ...) -> Response:
        """Send an OPTIONS request with the client's headers and cookies."""

    def request(self, method: str, *args: Any, **kwargs: Any) -> Response:
        """Send a request with any method."""

    def cookies(self, url: str = ...) -> dict:
        """The cookies that the client would send."""


class Server:
    """A stub server of this run, from http_serve(). It listens on the loopback interface and is closed when the script ends."""
    url: str  # its base URL, without a slash at the end
    requests: list  # all requests so far; reading it fails if the first ones are no longer kept
    lost: int  # how many of the first requests are no longer kept, because there were more than 128 MiB of them; a wait that would miss some fails
    errors: list  # what went wrong in handlers, as texts
    ca_file: str  # PEM file that clients trust it by, with tls=True

    def next_request(self, path: str = ..., timeout: duration = ..., *, method: str = ...) -> Request:
        """Wait for the next request that next_request has not returned yet."""

    def close(self) -> None:
        """End all connections and wait for the handlers."""


class Request:
    """A request that a stub server got."""
    method: str  # GET, POST and so on
    path: str  # the decoded path, without the query
    url: str  # path and query as sent
    query: dict  # the query parameters; the first value of a repeated one
    headers: Any  # the headers by name, in any case
    cookies: dict  # the cookies
    text: str  # the body as text
    body: str  # the same
    bytes: bytes  # the body's bytes
    vars: dict  # the values of the route's {names}
    status: int  # the status of the answer, 0 while there is none
    time: float  # when it arrived, on the clock of now()

    def json(self) -> Any:
        """The body decoded from JSON."""


class EventStream:
    """An open stream of server-sent events, from sse(). It is read all the time, so nothing is missed, and closed when the script ends."""
    url: str  # the URL that was requested
    status: int  # the status code
    headers: Any  # the headers by name, in any case
    open: bool  # whether more can arrive
    events: list  # all events so far, read or not; reading it fails if the first ones are no longer kept
    lost: int  # how many of the first events are no longer kept, because there were more than 128 MiB of them; a wait that would miss some fails
    heartbeats: int  # how many comment lines have arrived
    reconnects: int  # how many times it has connected again
    last_id: str  # the last id from the server

    def next_event(self, type: str = ..., timeout: duration = ..., *, where: Callable[..., Any] = ...) -> Event:
        """Wait for the next event that next_event has not returned yet. A wait that fails consumes no event. After the end of the stream it fails with kind eof."""

    def expect(self, pattern: pattern, timeout: duration = ...) -> Match:
        """Wait for a pattern in the text of the stream, as expect of a session does. next_event is not affected."""

    def close(self) -> None:
        """End the connection. Events that are unread can still be read."""


class LineStream:
    """A body that is read line by line as it arrives, from http_lines(). It is closed when the script ends."""
    url: str  # the URL that was requested
    status: int  # the status code
    headers: Any  # the headers by name, in any case
    open: bool  # whether more can arrive
    lines: list  # all lines so far, read or not; reading it fails if the first ones are no longer kept
    lost: int  # how many of the first lines are no longer kept, because there were more than 128 MiB of them; a wait that would miss some fails

    def next_line(self, contains: str = ..., timeout: duration = ...) -> str:
        """Wait for the next line that next_line has not returned yet."""

    def expect(self, pattern: pattern, timeout: duration = ...) -> Match:
        """Wait for a pattern in the body, as expect of a session does. next_line is not affected."""

    def close(self) -> None:
        """End the connection. Lines that are unread can still be read."""


class Event:
    """One server-sent event."""
    type: str  # its type, "message" if the server names none
    data: str  # its data, lines joined by line feeds
    id: str  # the last id from the server
    index: int  # its number in the stream, from 0
    time: float  # when it came, on the clock of now(); a Match has one too

    def json(self) -> Any:
        """The data decoded from JSON."""


class WebSocket:
    """An open WebSocket connection, from websocket(). It is read all the time and closed when the script ends."""
    url: str  # the URL it is connected to
    subprotocol: str  # the subprotocol that the server chose
    messages: list  # all messages so far, read or not; reading it fails if the first ones are no longer kept
    lost: int  # how many of the first messages are no longer kept, because there were more than 128 MiB of them; a wait that would miss some fails
    open: bool  # whether more can arrive
    code: int  # the other side's close code, 0 if there was none
    reason: str  # the other side's reason
    pings: int  # how many pings were received

    def send(self, message: str, timeout: duration = ...) -> None:
        """Send a text message, or a binary one for bytes."""

    def receive(self, contains: str = ..., timeout: duration = ...) -> str:
        """Wait for the next message that receive has not returned yet: a text, or bytes for a binary one."""

    def ping(self, timeout: duration = ...) -> float:
        """Send a ping and return how many seconds the pong took."""

    def close(self, code: int = ..., reason: str = ...) -> None:
        """Send a close code and end the connection."""


class Finished:
    """What run() returns. It is true if the program ended with status 0."""
    output: str  # what it wrote, as text
    stdout: str  # the same
    stderr: str  # its standard error, with pty=False
    raw: bytes  # the exact bytes it wrote, with colour codes
    status: Status  # how it ended
    code: int | None  # its exit status; None after a signal
    signal: str | None  # the signal that ended it, or None
    ok: bool  # whether the status is 0
    lost: int  # how many bytes were dropped from the beginning of its output, because it wrote more than history


class Command:
    """What cmd() returns. It is false if the command failed."""
    output: str  # what was written between the command and the next prompt, without the last line ending
    lines: list  # the output in lines
    code: int | None  # the exit status; for Python 1 after an exception; None if it is not known
    status: int | None  # the same
    ok: bool | None  # whether the status is 0; None if it is not known
    lost: int  # how many bytes of the output were dropped because there was too much of it


class ReMatch:
    """What re.search and re.match find. m[0] is the text, m[1] the first group, m["name"] a named one."""
    text: str  # the match itself
    groups: tuple  # the groups, the first at 0
    named: dict  # the named groups
    start: int  # where it begins in the text
    end: int  # where it ends


def spawn(argv: list | str, env: dict = ..., *, strip_env: list = ..., clean_env: bool = ..., cwd: str = ..., rows: int = ..., cols: int = ..., kill: str = ..., name: str = ..., echo: bool = ..., raw: bool = ..., pty: bool = ..., timeout: duration = ..., view: str = ..., keep_nul: bool = ..., eof: str = ..., buffer: int = ..., history: int = ...) -> Session:
    """Run a program on its own terminal. In the script itself the session becomes the current one, on which expect(), send() and the others act. The program is ended when the script ends."""


def expect_any(sessions: dict, timeout: duration = ..., *, stream: str = ...) -> Match:
    """Wait on several sessions at once. The match has the session that matched in .session and the pattern's number in .index. EOF matches only when all sessions have ended."""


def use(session: Session) -> Session:
    """Make a session the current one."""


def expect(pattern: pattern, timeout: duration = ..., *, idle: duration = ..., settle: duration = ..., view: str = ..., stream: str = ..., skip_echo: bool = ...) -> Match:
    """Wait until the output matches. Only the text up to the end of the match is consumed; a timeout consumes nothing. Of several patterns the one that is complete first in the output wins; of those that are complete at the same character the one that begins first, then the one listed first. 

A dict maps patterns to actions. A text, bytes or a secret is sent as it is, and the wait ends. A function is called with the match, or without arguments if it takes none; what it returns is the match's .value, and CONTINUE goes on waiting. None ends the wait, CONTINUE goes on. The actions of a list run in order, and the wait goes on if CONTINUE is in the list or one of its functions returns it: ["y\\r", CONTINUE] answers each time, [lambda m: seen.append(m[1]), "y\\r", CONTINUE] does two things. The deadline is for the whole wait. With pty=False, stream="stderr" waits for standard error, which has a position of its own."""


def expect_eof(timeout: duration = ..., *, stream: str = ...) -> str:
    """Wait until the program has ended and all its output is read. Returns the text that was unread."""


def peek(pattern: pattern, timeout: duration = ..., *, idle: duration = ..., settle: duration = ..., view: str = ..., stream: str = ..., skip_echo: bool = ...) -> Match:
    """Like expect, but nothing is consumed: the same text can be expected afterwards."""


def expect_not(pattern: pattern, within: duration, *, view: str = ..., stream: str = ...) -> None:
    """Fail as soon as the output matches. Pass when the time is over or the program has ended without a match. Nothing is consumed."""


def expect_all(*patterns: Any, timeout: duration = ..., idle: duration = ..., view: str = ..., stream: str = ...) -> list:
    """Wait until all patterns have matched, in any order. Text up to the end of the last match is consumed."""


def wait_idle(quiet: duration, timeout: duration = ..., *, stream: str = ...) -> str:
    """Wait until the program has written nothing for a while, and return the unread text. It stays unread."""


def read(n: int, timeout: duration = ..., *, view: str = ..., stream: str = ..., lost_ok: bool = ...) -> str:
    """Read a number of characters. At the end of the output it may return fewer. If unread output was dropped because the buffer was full, it fails and reads nothing."""


def readline(timeout: duration = ..., *, stream: str = ..., lost_ok: bool = ...) -> str:
    """Read the next line, without its line ending. If unread output was dropped because the buffer was full, it fails and reads nothing."""


def always(pattern: pattern, action: str | Callable[..., Any], *, limit: int = ..., stream: str = ...) -> Callable[..., Any]:
    """Act on a pattern whenever it appears from now on, also while the script waits for something else. The action is a text to send, or a function that is called with the match. Nothing is consumed. Matches of one pattern, or of one list, are handled in the order of the output; patterns of separate calls do not wait for each other. exit() in the function ends the run. Returns a function that stops this and returns how often the action ran."""


def send(text: str, timeout: duration = ..., *, force: bool = ...) -> None:
    """Send exactly this text. Use sendline for a line with Enter."""


def sendline(text: str = ..., timeout: duration = ..., *, force: bool = ...) -> None:
    """Send a line and press Enter. On a terminal that is CR, with raw=True or pty=False LF."""


def submit(text: str, timeout: duration = ..., *, quiet: duration = ...) -> None:
    """Type a text into a full-screen program and press Enter as a key of its own. Many such programs treat text and Enter in one write as a paste. submit pastes the text in brackets if the program asked for that, waits until the output is quiet, but two seconds at most, presses Enter, and presses it once more if nothing happened. It is over as soon as the program has answered, or has reported by OSC 7501 that it is working or blocked. A program that shows nothing of what is typed gets one Enter. Where nothing tells whether the program took the text, submit says so in a note. At the deadline that is a failure."""


def send_eof(timeout: duration = ...) -> None:
    """End the program's input. On a terminal that is Ctrl-D, twice after an unfinished line; a pipe is closed."""


def wait(timeout: duration = ...) -> Status:
    """Wait until the program has ended, even if other processes still hold its terminal. Output can still be read."""


def output(view: str = ..., *, stderr: bool = ...) -> str:
    """All output so far, read or unread, as text or as the exact bytes. The parameter history of spawn bounds it."""


def keys(*keys: Any, delay: duration = ..., timeout: duration = ...) -> None:
    """Press keys by name, as an xterm sends them: ctrl-c, alt-x, shift-tab, up, pagedown, f5, enter, esc, or a single character. Arrow keys follow the mode the program has set."""


def type_text(text: str, delay: duration = ..., *, timeout: duration = ...) -> None:
    """Type a text key by key with pauses, as a person does. A line ending in it presses Enter."""


def paste(text: str, timeout: duration = ..., *, force: bool = ...) -> None:
    """Paste a text, in brackets if the program asked for bracketed paste. Enter is not pressed after it."""


def send_file(path: str, *, delay: duration = ..., timeout: duration = ..., force: bool = ...) -> int:
    """Send a file byte for byte, in small pieces, each with its own deadline. Returns how many bytes were sent."""


def wait_password(timeout: duration = ...) -> str:
    """Wait until the program asks for a password: its terminal's echo is off and the output ends with a prompt. A banner that mentions passwords is not a prompt. Returns the prompt; the output up to its end is consumed."""


def send_secret(value: str | Any, timeout: duration = ...) -> None:
    """Wait for a password prompt as wait_password does, and send the value as a line. It is hidden in all output from now on. If the echo is never turned off, that is a failure and nothing is sent."""


def cmd(text: str, timeout: duration = ..., *, prompt: pattern = ..., check: bool = ...) -> Command:
    """Run a command in a shell and return its output and status, whatever was left unread before. With a session of shell() the output is exactly what the command wrote. With other sessions prompt= is needed and the status is not known; the output is what was written between the echo of the command, however the program's line editor drew it, and the next prompt. A command with a tab or another control character is pasted if the program has turned bracketed paste on; otherwise such a character is a key. With pty=False the terminal does not echo, and an echo by the program stays in the output."""


def interact(until: str = ..., *, on: dict = ..., on_input: dict = ...) -> Any:
    """Hand the session over to the person at the terminal, until a key, until the program ends, or until an action returns something. Unread output is shown first; the session gets the size of the window and follows it. Secrets stay hidden.

What a pattern of on_input matched does not reach the program, whatever kind of pattern it is, and its action runs once. What may still become a match is held back, however long the person takes, so the program neither gets nor shows it yet; if it begins with Esc, only for an instant. A pattern without an end, such as .*x, holds back 4096 bytes at most, and what takes nearly every character, as the dot and [^x] do, takes no control key such as Ctrl-C. A match counts as soon as it is complete: of "ab" and "abc" the second never comes. Enter is \\n or \\r in a pattern, ^ and $ are the ends of a line that is typed. When interact ends, what is held back goes to the program. What was typed after the key that ended it goes to the next interact() or ask_user().

The terminal gets its modes back whatever happens, also while a function of on= runs; the alternate screen, a hidden cursor and what else the program has switched in it go at the end. Without a terminal that is a failure of kind "env"."""


def mirror(on: bool = ...) -> None:
    """Show on standard error what the session writes, as it comes, with secrets hidden. The flag -v does so for all sessions."""


def explain(pattern: pattern, *, view: str = ..., stream: str = ...) -> str:
    """Return why a pattern does not match, as a failed wait reports it: another case, special characters, line endings, text already consumed, the echo of what was sent. The unread output follows."""


def exact(text: str | bytes, ignore_case: bool = ...) -> pattern:
    """A pattern that is plain text, with no special characters. Bytes are searched for in the raw view."""


def glob(text: str, ignore_case: bool = ...) -> pattern:
    """A pattern with shell wildcards. It matches within a line, and as little as it can."""


def regex(expr: str, ignore_case: bool = ...) -> pattern:
    """A regular expression as a value, for ignore_case=. A plain text is a regular expression already."""


def step(name: str, fn: Callable[..., Any] = ...) -> Any:
    """Name what the script does now. Progress and the report show the name and the time."""


def defer(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Call a function at the end of the script, whatever happens, also after a failure or Ctrl-C. The last one deferred is called first."""


def catch(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Result:
    """Call a function and return a Result instead of failing. Interrupts, exit() and skip() pass through."""


def fail(*message: Any) -> Any:
    """End the script as failed, with a reason."""


def skip(reason: str = ...) -> Any:
    """End the script as skipped, which is not a failure, because it cannot run here. The reason is printed."""


def exit(code: int = ...) -> Any:
    """End the script with an exit status. In a deferred call it takes effect only if the script has passed."""


def sleep(duration: duration) -> None:
    """Do nothing for a while, but not beyond the deadline of a poll around it. To wait for something, use expect() or poll_until()."""


def now() -> float:
    """Seconds on a monotonic clock, for measuring."""


def uuid4() -> str:
    """A new random UUID."""


def param(name: str, default: Any = ..., help: str = ..., *, type: str = ..., choices: list = ..., required: bool = ..., secret: bool = ...) -> Any:
    """Declare a parameter of the script and return its value. It must be at the top level with literal arguments, so that --help and unknown flags can be handled without running anything. A default of type duration is in seconds, as a given value is. A flag of omniexpect, such as help, cannot be the name of a parameter."""


def secret(value: str) -> Any:
    """A text that no output, log or error shows, if it has at least 4 characters. A shorter one is hidden only where the script itself writes it, and a note says so. It can be sent, formatted into other texts, and given to HTTP calls and to env; everything printed has *** instead. A text formatted with it contains a placeholder: len() counts the placeholder, and what a slice or a split leaves of it is shown as ***."""


def env(name: str, default: Any = ...) -> str:
    """The value of an environment variable."""


def http_get(url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., files: dict = ..., body: str = ..., body_file: str = ..., cookies: dict = ..., auth: Any = ..., netrc: bool | str = ..., timeout: duration = ..., connect_timeout: duration = ..., max_body: int = ..., status: int | list = ..., follow: bool = ..., fresh: bool = ..., save_to: str = ..., progress: Callable[..., Any] = ..., verify: bool = ..., ca_file: str = ..., cert: str | tuple = ..., proxy: str = ...) -> Response:
    """Send a GET request. Any status is returned unless status= names the wanted ones. A failed connection is an error of kind env."""


def http_post(url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., files: dict = ..., body: str = ..., body_file: str = ..., cookies: dict = ..., auth: Any = ..., netrc: bool | str = ..., timeout: duration = ..., connect_timeout: duration = ..., max_body: int = ..., status: int | list = ..., follow: bool = ..., fresh: bool = ..., save_to: str = ..., progress: Callable[..., Any] = ..., verify: bool = ..., ca_file: str = ..., cert: str | tuple = ..., proxy: str = ...) -> Response:
    """Send a POST request. Any status is returned unless status= names the wanted ones. A failed connection is an error of kind env."""


def http_put(url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., files: dict = ..., body: str = ..., body_file: str = ..., cookies: dict = ..., auth: Any = ..., netrc: bool | str = ..., timeout: duration = ..., connect_timeout: duration = ..., max_body: int = ..., status: int | list = ..., follow: bool = ..., fresh: bool = ..., save_to: str = ..., progress: Callable[..., Any] = ..., verify: bool = ..., ca_file: str = ..., cert: str | tuple = ..., proxy: str = ...) -> Response:
    """Send a PUT request. Any status is returned unless status= names the wanted ones. A failed connection is an error of kind env."""


def http_patch(url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., files: dict = ..., body: str = ..., body_file: str = ..., cookies: dict = ..., auth: Any = ..., netrc: bool | str = ..., timeout: duration = ..., connect_timeout: duration = ..., max_body: int = ..., status: int | list = ..., follow: bool = ..., fresh: bool = ..., save_to: str = ..., progress: Callable[..., Any] = ..., verify: bool = ..., ca_file: str = ..., cert: str | tuple = ..., proxy: str = ...) -> Response:
    """Send a PATCH request. Any status is returned unless status= names the wanted ones. A failed connection is an error of kind env."""


def http_delete(url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., files: dict = ..., body: str = ..., body_file: str = ..., cookies: dict = ..., auth: Any = ..., netrc: bool | str = ..., timeout: duration = ..., connect_timeout: duration = ..., max_body: int = ..., status: int | list = ..., follow: bool = ..., fresh: bool = ..., save_to: str = ..., progress: Callable[..., Any] = ..., verify: bool = ..., ca_file: str = ..., cert: str | tuple = ..., proxy: str = ...) -> Response:
    """Send a DELETE request. Any status is returned unless status= names the wanted ones. A failed connection is an error of kind env."""


def http_head(url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., files: dict = ..., body: str = ..., body_file: str = ..., cookies: dict = ..., auth: Any = ..., netrc: bool | str = ..., timeout: duration = ..., connect_timeout: duration = ..., max_body: int = ..., status: int | list = ..., follow: bool = ..., fresh: bool = ..., save_to: str = ..., progress: Callable[..., Any] = ..., verify: bool = ..., ca_file: str = ..., cert: str | tuple = ..., proxy: str = ...) -> Response:
    """Send a HEAD request. Any status is returned unless status= names the wanted ones. A failed connection is an error of kind env."""


def http_options(url: str, params: dict = ..., headers: dict = ..., *, json: Any = ..., form: dict = ..., files: dict = ..., body: str = ..., body_file: str = ..., cookies: dict = ..., auth: Any = ..., netrc: bool | str = ..., timeout: duration = ..., connect_timeout: duration = ..., max_body: int = ..., status: int | list = ..., follow: bool = ..., fresh: bool = ..., save_to: str = ..., progress: Callable[..., Any] = ..., verify: bool = ..., ca_file: str = ..., cert: str | tuple = ..., proxy: str = ...) -> Response:
    """Send an OPTIONS request. Any status is returned unless status= names the wanted ones. A failed connection is an error of kind env."""


def http_request(method: str, *args: Any, **kwargs: Any) -> Response:
    """Send a request with any method."""


def http(base: str = ..., headers: dict = ..., timeout: duration = ..., *, connect_timeout: duration = ..., max_body: int = ..., auth: Any = ..., netrc: bool | str = ..., cookies: dict = ..., follow: bool = ..., verify: bool = ..., ca_file: str = ..., cert: str | tuple = ..., proxy: str = ..., socket: str = ...) -> Client:
    """Make a client: a base URL, headers, a timeout and a cookie jar that its calls share."""


def check(resp: Response, *, status: int | list = ..., header: dict = ..., jsonpath: dict = ..., contains: str | list = ...) -> Response:
    """Check a response's status, headers, body and JSON paths, and report every mismatch: the wanted value, the actual one, and the part of the body that matters."""


def http_serve(routes: dict, port: int = ..., *, tls: bool = ..., socket: str = ..., max_body: int = ...) -> Server:
    """Serve stub answers on the loopback interface until the script ends. A route is a path, with {name} for a part that varies, and with a method before it if it is for that method only. Its answer is a text, a dict, a list (sent as JSON), None (204), or a function of the request that returns one of these. Functions run one at a time, and exit() in one ends the run. In a dict, the body is one of text, json, bytes, chunks (a list), events (server-sent: dicts of event, data, id, retry, comment), stream (a function of send) and websocket (a dict of greet, echo, code, reason). A dict may also have status, headers, delay and fault: "reset", "half", "length" or "never"."""


def sse(url: str, params: dict = ..., headers: dict = ..., *, method: str = ..., json: Any = ..., body: str = ..., auth: Any = ..., timeout: duration = ..., client: Client = ..., verify: bool = ..., ca_file: str = ..., reconnect: bool = ..., retry: duration = ..., last_id: str = ...) -> EventStream:
    """Open a stream of server-sent events. It returns when the headers have arrived, so no event caused by what the script does next is missed."""


def http_lines(url: str, params: dict = ..., headers: dict = ..., *, method: str = ..., json: Any = ..., body: str = ..., auth: Any = ..., timeout: duration = ..., client: Client = ..., verify: bool = ..., ca_file: str = ..., reconnect: bool = ..., retry: duration = ..., last_id: str = ...) -> LineStream:
    """Make a call and read its body line by line as it arrives: chunks, a long poll, JSON lines."""


def websocket(url: str, headers: dict = ..., *, subprotocols: list = ..., auth: Any = ..., timeout: duration = ..., client: Client = ..., verify: bool = ..., ca_file: str = ...) -> WebSocket:
    """Open a WebSocket connection."""


def poll_until(fn: Callable[..., Any], timeout: duration = ..., interval: duration = ..., *, retry_on: list = ..., message: str = ..., backoff: float = ...) -> Any:
    """Call a function until it returns something true, and return that. Values that are not true, refused and reset connections, HTTP timeouts and statuses 502 to 504 mean "not yet"; any other failure ends the poll at once. The failure at the deadline shows what was seen last."""


def retry(fn: Callable[..., Any], times: int = ..., *, on: list = ..., interval: duration = ...) -> Any:
    """Call a function until it does not fail, and return what it returned."""


def http_poll(url: str, until: Callable[..., Any] = ..., timeout: duration = ..., interval: duration = ..., *, backoff: float = ..., method: str = ..., client: Client = ..., **kwargs: Any) -> Response:
    """Request a URL until the response is the wanted one, and return it. Refused and reset connections, timeouts and statuses of 500 and above mean "not yet". The failure at the deadline shows the number of requests, the last status and body or the last error, and what changed in between."""


def inject(conversation: str, text: str, *, server: str = ..., timeout: duration = ...) -> dict:
    """Send a user's message into a conversation through the server, as the web page does. Any HTTP error is a failure. Returns the server's answer, which has pending_id or item_id."""


def omnigent_server(url: str = ...) -> str:
    """Set the omnigent server that inject() talks to, or return it. The script's --server is the default."""


def rm_transcript(external_session_id: str, home: str = ..., *, kind: str = ...) -> list:
    """Delete an agent's own transcript of a session, and return the paths that were removed. Only regular files of exactly that name below the agent's transcript folders are deleted. No link is followed: if .claude itself is a link, that is an error of kind env."""


def run(argv: list | str, env: dict = ..., *, strip_env: list = ..., clean_env: bool = ..., cwd: str = ..., rows: int = ..., cols: int = ..., kill: str = ..., name: str = ..., pty: bool = ..., input: str = ..., timeout: duration = ..., history: int = ..., check: bool = ...) -> Finished:
    """Run one command to its end and return its output and status. At the deadline it is killed, and the failure shows the end of what it wrote. Nobody is there to press a key, so PAGER and similar variables (GIT_PAGER, MANPAGER, SYSTEMD_PAGER …) are "cat", whatever is inherited, and less, node, sqlite3, psql and shells keep no history, unless env= sets or removes these variables. If env= sets PAGER, the other pager variables are removed."""


def parallel(fns: list, *, limit: int = ..., fail_fast: bool = ...) -> list:
    """Call functions at the same time and return their values in order. The first failure cancels the rest and is the failure of the call, unless fail_fast=False. exit() and skip() in a branch end the others and the run. Each branch has its own current session."""


def sweep() -> list:
    """End every process that this run's programs have started, daemons too, in whatever session they are. Returns what was ended. Sessions end by themselves at the end of a script; this is for processes that kill= lets them leave behind."""


def executable() -> str:
    """The path of the running omniexpect, for starting it again. To find another program, use run(["sh", "-c", "command -v NAME"]).output."""


def shell(argv: list | str, env: dict = ..., *, strip_env: list = ..., clean_env: bool = ..., cwd: str = ..., rows: int = ..., cols: int = ..., kill: str = ..., name: str = ..., echo: bool = ..., raw: bool = ..., pty: bool = ..., timeout: duration = ..., view: str = ..., keep_nul: bool = ..., eof: str = ..., buffer: int = ..., history: int = ...) -> Session:
    """Start a shell, "bash", "sh", "zsh" or "python3", with its own prompt, which occurs in no output, and without startup files, history, pagers, line editor and job control. None of the user's files are read or written, and what is typed reaches no history file. PAGER, HISTFILE and similar variables are set as for run(). cmd() runs its commands. Bash prints the number of a job that a command starts in the background, as it does for a person."""


def strip_ansi(text: str | bytes) -> str:
    """The text that a person would read of what a program wrote to a terminal, without escape sequences. Text that was written over after backspaces or a move to the left is replaced; a lone CR stays."""


def diff(a: Any, b: Any, *, name_a: str = ..., name_b: str = ...) -> str:
    """The difference of two texts or values in unified form, "" if there is none. A last line without a line ending is marked, as diff(1) and git do. Lines that differ show invisible characters as escapes: \\r, trailing blanks as \\x20 and \\t, control characters."""


def jsonpath(value: Any, path: str) -> list:
    """Everything that an RFC 9535 path selects in a value."""


def sqlite(path: str, query: str, params: list | dict = ..., *, timeout: duration = ..., max_rows: int = ...) -> list:
    """The rows that a query selects in an SQLite database, as dicts by column. Numbers, texts and NULL (None) keep their types, a blob is bytes. The database is opened read-only, also while other programs use it; neither it nor its folder is changed."""


def pause(*message: Any) -> None:
    """Open the interactive prompt here, with the variables of the function and of the script, and go on with the script after .continue or Ctrl-D; .quit ends it. A list or dict that is changed there in place is changed for the script; a name that is set there exists in the prompt only. Without a terminal the commands are read from standard input, if that is a pipe and not the script; otherwise pause fails with kind "env"."""


def ask_user(prompt: str = ..., *, secret: bool = ..., timeout: duration = ...) -> str | Any:
    """Ask the person at the terminal and return the line that is typed, without its end. If standard input is a pipe or a file, its next line is the answer and no prompt is written; at its end, ask_user fails with kind "env"."""


def help(what: Any = ...) -> None:
    """Print the list of all names, or the documentation of one thing: a builtin, a method, a module, a function of the script, a value, or a name given as text."""


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
        """Call a function and fail unless it fails, with the given kind and message. Returns the Result."""


class fs:
    @staticmethod
    def temp_dir(prefix: str = ...) -> str:
        """Make a directory that is removed when the script ends."""
    @staticmethod
    def read(path: str) -> str:
        """The text of a file."""
    @staticmethod
    def read_bytes(path: str) -> bytes:
        """The bytes of a file."""
    @staticmethod
    def write(path: str, text: str, *, mode: int = ...) -> None:
        """Write a whole file atomically: a reader sees the old text or the new one."""
    @staticmethod
    def exists(path: str) -> bool:
        """Whether a file or directory exists."""
    @staticmethod
    def glob(pattern: str) -> list:
        """The paths that a pattern matches, sorted."""
    @staticmethod
    def walk(root: str, *, dirs: bool = ...) -> list:
        """The paths of all files below a directory, in order. Links are not followed."""
    @staticmethod
    def stat(path: str) -> Any:
        """Size, mode, kind ("file", "dir", "link", "other") and mtime of a path, or None if it does not exist."""
    @staticmethod
    def mkdir(path: str) -> str:
        """Make a directory and its parents, and return its path."""
    @staticmethod
    def remove(path: str) -> None:
        """Remove a file or a link."""
    @staticmethod
    def remove_tree(path: str) -> None:
        """Remove a directory and everything in it. Only directories inside one that fs.temp_dir made in this run can be removed."""


class path:
    @staticmethod
    def join(*parts: Any) -> str:
        """Join parts to one path."""
    @staticmethod
    def base(path: str) -> str:
        """The last element of a path."""
    @staticmethod
    def dir(path: str) -> str:
        """A path without its last element."""
    @staticmethod
    def ext(path: str) -> str:
        """The extension of a path, with its dot."""


class re:
    @staticmethod
    def search(pattern: str, text: str) -> ReMatch | None:
        """The first match of a regular expression anywhere in a text, or None."""
    @staticmethod
    def match(pattern: str, text: str) -> ReMatch | None:
        """The match of a regular expression at the beginning of a text, or None."""
    @staticmethod
    def findall(pattern: str, text: str) -> list:
        """All matches of a regular expression in a text: the matched texts, or the groups if the pattern has any."""
    @staticmethod
    def sub(pattern: str, repl: str | Callable[..., Any], text: str) -> str:
        """The text with all matches replaced."""
    @staticmethod
    def split(pattern: str, text: str) -> list:
        """The parts of a text between the matches."""


class base64:
    @staticmethod
    def encode(data: str, *, url: bool = ...) -> str:
        """A text or bytes in base64. For a secret, the result is a secret."""
    @staticmethod
    def decode(text: str) -> str:
        """The text that base64 encodes, or bytes if it is not text."""


class digest:
    @staticmethod
    def sha256(data: str) -> str:
        """The SHA-256 digest in hexadecimal."""
    @staticmethod
    def sha512(data: str) -> str:
        """The SHA-512 digest in hexadecimal."""
    @staticmethod
    def sha1(data: str) -> str:
        """The SHA-1 digest in hexadecimal, for systems that still need it."""
    @staticmethod
    def md5(data: str) -> str:
        """The MD5 digest in hexadecimal, for systems that still need it."""
    @staticmethod
    def hmac(key: str, data: str, *, hash: str = ...) -> str:
        """A keyed digest in hexadecimal. Key and data may be secrets."""


class jsonl:
    @staticmethod
    def decode(text: str) -> list:
        """The values of a text with one JSON value per line."""
    @staticmethod
    def encode(values: list) -> str:
        """Values as a text with one JSON value per line."""


class yaml:
    @staticmethod
    def decode(text: str) -> Any:
        """The value of a YAML document."""
    @staticmethod
    def encode(value: Any) -> str:
        """A value as YAML."""


class csv:
    @staticmethod
    def decode(text: str, *, header: bool = ..., comma: str = ...) -> list:
        """The rows of comma-separated values, as lists or, with header=True, as dicts."""
    @staticmethod
    def encode(rows: list) -> str:
        """Rows as comma-separated values."""


class url:
    @staticmethod
    def parse(url: str) -> Any:
        """The parts of a URL: scheme, host, port, path, query (a dict of lists), fragment, user, password."""
    @staticmethod
    def join(base: str, ref: str, *, query: dict = ...) -> str:
        """The URL that a link on a page refers to, with query parameters added."""
    @staticmethod
    def quote(text: str, *, query: bool = ...) -> str:
        """A text as a part of a URL's path or query."""
    @staticmethod
    def unquote(text: str, *, query: bool = ...) -> str:
        """Decode a part of a URL."""


class random:
    @staticmethod
    def seed(seed: int) -> None:
        """Make the random numbers that follow the same in every run."""
    @staticmethod
    def int(low: int, high: int) -> int:
        """A random integer, both bounds included. Not for secrets."""
    @staticmethod
    def float() -> float:
        """A random number from 0 to below 1."""
    @staticmethod
    def choice(items: list | str) -> Any:
        """A random element."""
    @staticmethod
    def shuffle(items: list | str) -> list:
        """The same elements in a random order."""

EOF: Any  # Pattern: the program has ended and all its output is read.
TIMEOUT: Any  # Pattern: the deadline, or the idle clock, has run out; as an outcome instead of an error.
FULL: Any  # Pattern: the unread output has reached its bound.
CONTINUE: Any  # In an action of expect: go on waiting, within the same deadline.
ARGS: Any  # The script's arguments that are no --parameters.
