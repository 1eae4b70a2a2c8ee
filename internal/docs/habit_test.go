package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"omniexpect/builtins"
	"omniexpect/internal/docs"
	"omniexpect/internal/habit"
	"omniexpect/internal/mask"
)

// TestHabitsNameWhatIsThere looks at what old names are answered with: the words that are called in it exist, and each name
// that the pages about other tools know is answered, unless it has the same name here.
func TestHabitsNameWhatIsThere(t *testing.T) {
	v := (&builtins.State{Mask: mask.New()}).Vocabulary()
	called := regexp.MustCompile(`([a-z_]+(?:\.[a-z_]+)*)\(`)
	language := []string{"fn", "name", "len", "sorted", "range", "list.append", "text.split", "s", "str"}
	names := strings.Fields(`exp_continue exp_internal log_user log_file match_max expect_before expect_after expect_background expect_user
		send_user send_tty send_error stty trap fork disconnect remove_nulls timestamp overlay system exec interpreter spawn_id
		any_spawn_id user_spawn_id expect_out argv gets puts proc foreach incr lassign exp_pid exp_open pexpect pxssh replwrap REPLWrapper
		fdpexpect popen_spawn getpass raw_input input which EOFError TimeoutError s.sendintr s.sendcontrol s.sendeof s.setecho s.getecho
		s.waitnoecho s.isalive s.isatty s.expect_exact s.expect_list s.before s.after s.match s.exitstatus s.signalstatus s.setwinsize
		s.getwinsize s.readlines s.read_nonblocking s.write s.writelines s.logfile s.logfile_read s.logfile_send s.delaybeforesend
		s.searchwindowsize s.maxread s.ignorecase s.linesep s.buffer s.eof s.flag_eof s.fileno s.child_fd s.kill s.timeout s.run_command
		send_slow send_human exp_version getpid autoexpect dislocate kibitz async_ dimensions preexec_fn use_poll codec_errors
		str_last_chars prompt -continue_timer FSM
		s.set_unique_prompt s.PROMPT s.login s.logout s.read_until s.send_keys s.screen s.display`)
	for _, name := range names {
		hint := habit.Known(name)
		if hint == "" {
			t.Errorf("nothing is said about %s", name)
		}
		for _, m := range called.FindAllStringSubmatch(hint, -1) {
			word := strings.TrimPrefix(m[1], "sh.")
			method, ofSession := strings.CutPrefix(word, "s.")
			if ofSession {
				word = "Session." + method
			}
			if len(docs.Find(v, word)) == 0 && !strings.HasSuffix(word, ".join") && !strings.HasSuffix(word, ".splitlines") &&
				!strings.HasSuffix(word, ".format") && !slices.Contains(language, word) && len(docs.Find(v, "Session."+word)) == 0 {
				t.Errorf("%s: %q speaks of %s, which is not there", name, hint, m[1])
			}
		}
	}
}
