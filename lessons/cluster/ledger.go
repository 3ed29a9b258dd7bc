package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// ledger is a folder with a file for each namespace that was made and is not
// taken away yet. A process that is killed leaves its files, and the next one
// finds in them what it may delete. A namespace is known again by its UID: one
// that somebody else has made has another, whatever its name is.
type ledger struct {
	dir string // "" keeps nothing
	log *slog.Logger

	mu   sync.Mutex
	mine map[types.UID]bool // those that are in use here
}

// entry is a file of the ledger; its name is the UID.
type entry struct {
	Namespace string    `json:"namespace"`
	UID       types.UID `json:"uid"`
	Process   int       `json:"process"`
	Made      time.Time `json:"made"`
	// Asked is the address of the API server that was asked to delete it, ""
	// where none was: when it has it no more, it is gone.
	Asked string `json:"asked,omitempty"`
	// Commands are those that stand for a controller because of the lesson.
	Commands []Command `json:"commands,omitempty"`
}

// Command names a command that stands: the controller's name and the hub's id.
type Command struct {
	Controller string `json:"controller"`
	ID         string `json:"id"`
}

const (
	ledgerEnd = ".json"
	partEnd   = ".part" // after it, of an entry that is being written
	// forgetAfter is when an entry is given up of which there is no namespace
	// here: it may be of another cluster, which may be gone.
	forgetAfter = 30 * 24 * time.Hour
	// prefix begins every namespace of a lesson.
	prefix = "lesson-"
)

// Keep notes from now on, in files in a folder that is made when it is needed,
// which namespaces lessons have. It comes before any Begin. What is not noted is
// told to log; nil is slog.Default().
func (c *Cluster) Keep(dir string, log *slog.Logger) {
	if log == nil {
		log = slog.Default()
	}
	c.ledger.dir, c.ledger.log = dir, log
}

// note writes down that a namespace is in use.
func (l *ledger) note(e entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mine == nil {
		l.mine = map[types.UID]bool{}
	}
	l.mine[e.UID] = true
	if err := l.write(e); err != nil {
		return fmt.Errorf("noting namespace %s, so that it can be taken away after a crash: %w: make the folder writable", e.Namespace, err)
	}
	return nil
}

// update writes an entry anew; at worst it stays as it was.
func (l *ledger) update(e entry) {
	l.mu.Lock()
	err := l.write(e)
	l.mu.Unlock()
	if err != nil {
		l.log.Warn("what a lesson has left is noted as it was before", "namespace", e.Namespace, "error", err)
	}
}

// write puts an entry in place whole, or leaves what is there.
func (l *ledger) write(e entry) error {
	if l.dir == "" {
		return nil
	}
	text, err := json.Marshal(e)
	if err == nil {
		err = os.MkdirAll(l.dir, 0o700)
	}
	if err == nil {
		err = os.WriteFile(l.file(e.UID)+partEnd, text, 0o600)
	}
	if err == nil {
		err = os.Rename(l.file(e.UID)+partEnd, l.file(e.UID))
	}
	return err
}

// release says that a namespace is in use no more: it may go.
func (l *ledger) release(uid types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.mine, uid)
}

func (l *ledger) file(uid types.UID) string { return filepath.Join(l.dir, string(uid)+ledgerEnd) }

// strike takes a namespace out that is gone.
func (l *ledger) strike(uid types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.mine, uid)
	if l.dir != "" {
		_ = os.Remove(l.file(uid)) // at worst it is found to be gone next time
		_ = os.Remove(l.file(uid) + partEnd)
	}
}

// left are the entries of processes that have ended.
func (l *ledger) left() []entry {
	if l.dir == "" {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(l.dir, "*"+ledgerEnd))
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []entry
	for _, file := range files {
		var e entry
		text, err := os.ReadFile(file)
		if err != nil || json.Unmarshal(text, &e) != nil || l.file(e.UID) != file || !strings.HasPrefix(e.Namespace, prefix) {
			continue // nothing that was written here
		}
		if !l.mine[e.UID] && (e.Process == os.Getpid() || !lives(e.Process)) {
			all = append(all, e)
		}
	}
	return all
}

// lives says whether there is a process of that id. Another one may have got
// it since: then what it is asked for stays, until that one has ended.
func lives(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil || pid <= 0 {
		return false
	}
	if runtime.GOOS == "windows" {
		return true // FindProcess has found it
	}
	err = process.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}

// RemoveLeft asks for the removal of the namespaces that earlier processes have
// made and left behind, and returns their names, once each. It removes no other.
func (c *Cluster) RemoveLeft(ctx context.Context) ([]string, error) {
	var names []string
	var faults []error
	for _, e := range c.ledger.left() {
		removed, err := c.removeLeft(ctx, e)
		if removed {
			names = append(names, e.Namespace)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("removing namespace %s, which an earlier lesson has left: %w", e.Namespace, explain(err)))
		}
	}
	return names, errors.Join(faults...)
}

// Left says whether a lesson of a process that has ended had that namespace, and
// it was not yet gone when it was last looked for.
func (c *Cluster) Left(namespace string) bool {
	return slices.ContainsFunc(c.ledger.left(), func(e entry) bool { return e.Namespace == namespace })
}

// LeftCommands are the commands that stood for lessons of processes that have
// ended. They are told again until the lesson's namespace is gone.
func (c *Cluster) LeftCommands() []Command {
	var all []Command
	for _, e := range c.ledger.left() {
		all = append(all, e.Commands...)
	}
	return all
}

// NoteCommands notes which commands stand because of the lesson, so that they
// can be lifted after a crash; at worst the note stays as it was.
func (r *Run) NoteCommands(all []Command) {
	r.commands = slices.Clone(all)
	r.ledger.update(r.entry())
}

// removeLeft says whether the namespace was there, and not on its way yet. Its
// entry stays until it is gone.
func (c *Cluster) removeLeft(ctx context.Context, e entry) (removed bool, err error) {
	there, err := c.has(ctx, e.Namespace, e.UID)
	switch {
	case err != nil:
		return false, err
	case there == nil:
		if e.Asked == c.address || time.Since(e.Made) > forgetAfter {
			c.ledger.strike(e.UID)
		}
		return false, nil
	}
	c.releaseAll(ctx, e.Namespace)
	err = c.deleteNamespace(ctx, e)
	return err == nil && there.DeletionTimestamp == nil, err
}
