package wire

import "time"

const (
	// Subprotocol is what a controller asks for.
	Subprotocol = "tracer.control.v1"
	// Path is where a hub is asked.
	Path = "/api/v1/control/attach"
	// MaxMessage is the largest message, in bytes.
	MaxMessage = 16 << 10
)

// The connection's signs of life. A controller that has heard nothing for
// Silence lets all go: within a second from when the hub went away.
const (
	BeatEvery = 200 * time.Millisecond
	Silence   = 800 * time.Millisecond
)

const (
	// MaxHold is how long a worker may be held at one place, and how long a
	// pause may stand.
	MaxHold = 10 * time.Minute
	// MaxStand is how long any other command may stand.
	MaxStand = time.Hour
)

// Types of messages.
const (
	TypeHello   = "hello"
	TypeBeat    = "beat"
	TypeCommand = "command"
	TypeAck     = "ack"
	TypeEnded   = "ended"
)

// Message is one message. Which fields it has depends on its type.
type Message struct {
	Type string `json:"type"`
	// Controller is whose connection it is (hello).
	Controller string `json:"controller,omitempty"`
	// Process is a word that a process of it keeps for as long as it runs: so the
	// hub knows one that has lost its connection from a new one (hello).
	Process string `json:"process,omitempty"`
	// Seq numbers a command, and an ack by what it answers.
	Seq int64 `json:"seq,omitempty"`
	// Command is what to do (command).
	Command *Command `json:"command,omitempty"`
	// LeftMS is how many milliseconds are left of one that stands at other
	// processes already; 0: it begins now (command).
	LeftMS int64 `json:"left_ms,omitempty"`
	// Error says why a command is refused (ack); empty: it is in force.
	Error string `json:"error,omitempty"`
	// ID is the command that has ended, Why says by what (ended).
	ID  string `json:"id,omitempty"`
	Why string `json:"why,omitempty"`
}
