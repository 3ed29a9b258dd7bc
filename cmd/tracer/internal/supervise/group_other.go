//go:build !unix

package supervise

import (
	"io"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

// askToEnd closes the lifeline: there is no signal that asks.
func askToEnd(_ *exec.Cmd, lifeline io.Closer) {
	_ = lifeline.Close() // fails only when it is closed
}

func killGroup(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // fails only when it has ended
}
