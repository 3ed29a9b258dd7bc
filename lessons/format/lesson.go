package format

import "github.com/reconcile-tracer/tracer/tracer/control/wire"

// Lesson is one lesson, checked. It is not changed once it is parsed.
type Lesson struct {
	// ID is a DNS label that begins with "lesson-" for those that are built in.
	ID    string
	Title string
	// About says in a sentence or two what one will have seen in the end.
	About string
	// Minutes is about how long it takes to teach.
	Minutes int
	// Needs is what there must be: NeedControl, or nothing.
	Needs []string
	// Controller is the controller that is looked at, Item the name of the
	// object that is selected where a beat names no other.
	Controller, Item string
	Beats            []Beat
	// File is the name that the lesson was parsed under.
	File string
}

// NeedControl says that the controller must take commands.
const NeedControl = "control"

// Beat is one step of a lesson: words, then what is done, then what is waited
// for, then more words.
type Beat struct {
	Title string
	Words string
	// Highlight are the nodes and edges of the map that are pointed at.
	Highlight []string
	// Item is the name of the object that the page selects.
	Item string
	// Continues says that the beat goes on with what the beat before holds: it
	// cannot begin by itself.
	Continues bool
	Question  *Question
	Do        []Action
	// Wait is nil where nothing is waited for.
	Wait *Wait
	// Then is said when what was waited for has come; it may hold {1}, {2}, …:
	// what came for the first, the second, … condition.
	Then string
	// Line is where the beat begins in the file.
	Line int
}

// Question asks for a prediction before the beat acts.
type Question struct {
	Text    string
	Choices []Choice
	// Right is the index of the right choice.
	Right int
	// Because explains it at the reveal.
	Because string
	Line    int
}

// Choice is one answer. When is the condition that holds in the end if it is
// the one that came true; nil where nobody checks.
type Choice struct {
	Text string
	When *Condition
}

// Wait is what a beat waits for after it has acted.
type Wait struct {
	// Within bounds the wait, in microseconds.
	Within int64
	// Steady is how long all conditions must hold together, in microseconds; 0
	// is a moment.
	Steady int64
	For    []Condition
	Line   int
}

// Action is one thing that a beat does. Which fields count depends on Verb.
type Action struct {
	// Verb is one of the Do constants.
	Verb string
	// Kind and Name are the object; for DoDeleteChild Kind and Name are the
	// owner's, and Child the kind of what is deleted.
	Kind, Name, Child string
	// Manifest is the object that is applied or created. It and Values are of
	// the types that decoded JSON has, with int64 for whole numbers.
	Manifest map[string]any
	// Path is the field that is set, name by name, Values what it is set to,
	// one after another.
	Path   []string
	Values []any
	// Refused is the API server's reason with which the last request must be
	// refused, "" where it must succeed.
	Refused string
	// Control is a command without the controller and the item, which are the
	// lesson's; with Any it is for every item.
	Control *wire.Command
	Any     bool
	Line    int
}

// The verbs of actions.
const (
	DoApply       = "apply"
	DoCreate      = "create"
	DoEdit        = "edit"
	DoScale       = "scale"
	DoDelete      = "delete"
	DoDeleteChild = "delete-child"
	DoWriteOld    = "write-old"
	DoControl     = "control"
)
