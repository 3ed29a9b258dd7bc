//go:build unix

package supervise

import (
	"io"
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// askToEnd leaves the lifeline open: its end means that the parent has died,
// which is a hastier goodbye.
func askToEnd(cmd *exec.Cmd, _ io.Closer) {
	_ = cmd.Process.Signal(syscall.SIGTERM) // fails only when it has ended
}

// killGroup kills the process and all that it started and did not move away.
func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // fails only when none is left
}
