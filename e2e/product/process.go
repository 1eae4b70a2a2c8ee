package product

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// A Proc is a process that belongs to a product.
type Proc struct {
	PID     int
	Command string
}

// String is the process id and the beginning of its command line.
func (p Proc) String() string {
	command := []rune(p.Command)
	if len(command) > 100 {
		command = append(command[:99], '…')
	}
	return fmt.Sprintf("%d %s", p.PID, string(command))
}

// Kill ends the process at once.
func (p Proc) Kill() { p.signal(syscall.SIGKILL) }

func (p Proc) signal(s syscall.Signal) { syscall.Kill(p.PID, s) }

// Processes returns every living process with the product's HOME in its environment.
func (p *Product) Processes() []Proc {
	if _, err := os.Stat("/proc/self/environ"); err == nil {
		return fromProc("HOME=" + p.Home())
	}
	return fromPS("HOME=" + p.Home())
}

func fromProc(entry string) (found []Proc) {
	directories, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, d := range directories {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		// A process that ends meanwhile, or one of another user, cannot be read: it is not ours to end. A zombie has an
		// empty environment.
		environ, err := os.ReadFile("/proc/" + d.Name() + "/environ")
		if err != nil || !bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+entry+"\x00")) {
			continue
		}
		line, _ := os.ReadFile("/proc/" + d.Name() + "/cmdline")
		found = append(found, Proc{PID: pid, Command: strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))})
	}
	return found
}

// fromPS is for systems without /proc, where ps shows environments behind the command lines.
func fromPS(entry string) (found []Proc) {
	list, err := exec.Command("ps", "axeww", "-o", "pid=,command=").Output()
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(list)) {
		before, _, ok := strings.Cut(strings.TrimSpace(line)+" ", " "+entry+" ")
		if !ok {
			continue
		}
		id, command, _ := strings.Cut(before, " ")
		if pid, err := strconv.Atoi(id); err == nil {
			found = append(found, Proc{PID: pid, Command: strings.TrimSpace(command)})
		}
	}
	return found
}
