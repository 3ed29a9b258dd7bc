package flow

// Limits bound what a State keeps. Zero and negative values mean the default.
// Whatever is over a limit goes oldest first, what is finished before what is
// open, and each row that goes is named in an Output's Gone.
type Limits struct {
	// Reconciles is how many reconciles are kept in all; 50,000.
	Reconciles int
	// Bytes is about how much memory the reconciles may take; 256 MiB.
	Bytes int
	// Edges is how many edges are kept; 100,000.
	Edges int
	// Waits is how many waits are kept; 50,000.
	Waits int
	// Holds is how many holds are kept; 5,000.
	Holds int
	// Controls is how many commands are kept; 5,000.
	Controls int
	// Gaps is how many gaps are kept; 5,000.
	Gaps int
	// Findings is how many findings are kept; 2,000.
	Findings int
	// Beats is how many beats of lessons are kept; 2,000.
	Beats int
	// Items is how many items are kept; 20,000.
	Items int
	// Samples is how many samples are kept; 100,000.
	Samples int
	// SampleSeconds is how far back samples go; 7,200.
	SampleSeconds int
	// Controllers is how many controllers are kept; 200.
	Controllers int
	// Runs is how many runs of emitters are followed; 1,000.
	Runs int
	// ServerSpans is how many writes and server spans are kept for a minute
	// so that they find each other; 20,000.
	ServerSpans int
}

func (l Limits) withDefaults() Limits {
	for _, d := range []struct {
		field *int
		value int
	}{
		{&l.Reconciles, 50_000},
		{&l.Bytes, 256 << 20},
		{&l.Edges, 100_000},
		{&l.Waits, 50_000},
		{&l.Holds, 5_000},
		{&l.Controls, 5_000},
		{&l.Gaps, 5_000},
		{&l.Findings, 2_000},
		{&l.Beats, 2_000},
		{&l.Items, 20_000},
		{&l.Samples, 100_000},
		{&l.SampleSeconds, 7_200},
		{&l.Controllers, 200},
		{&l.Runs, 1_000},
		{&l.ServerSpans, 20_000},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	return l
}

// Bounds of one row. What is cut off is counted where the row has a count.
const (
	maxString = 1024 // bytes of a value
	maxList   = 64   // fields, paths, actions, changed parts
	maxEnds   = 20   // reads and writes kept at either end of a pass
	maxPhases = 256
	maxStarts = 256
	// maxSpans is how many spans of one pass are told apart; more are not
	// taken in.
	maxSpans = 20_000
	// maxIndexed is how many writes of one pass can be joined to causes.
	maxIndexed = 1_000
	// maxEffects is how many causes one write can be joined to.
	maxEffects = 256
	// maxHoles is how many holes in one run's numbers wait for their spans.
	maxHoles = 1_024
	// maxDrops is for how many predicates and kinds a controller's row says
	// what they dropped.
	maxDrops = 32
	// maxServer is how many server spans one write shows.
	maxServer = 48
	// maxItemPasses is how many passes of an item, the newest ones, its findings
	// are made from.
	maxItemPasses = 64
	// maxNumbered is how many passes of an item, the newest ones, may get another
	// number when an older one comes late.
	maxNumbered = 64
	// maxAbove is on how many spans and audit ids a server span may hang, and
	// maxOwners how many writes it may stand under.
	maxAbove  = 8
	maxOwners = 4
)

// Times in microseconds.
const (
	second = int64(1_000_000)
	// gapGrace is how long a hole may be filled before it is a gap.
	gapGrace = 2 * second
	// silence is how long a controller may be quiet and still be connected.
	silence = 5 * second
	// lostGrace is how long the spans of a run may still come when the next
	// run of the same process has begun.
	lostGrace = 2 * second
	// stepGrace is how long nothing newer may have come of a process before an
	// older record is taken for one by a clock that was set back. A process says
	// once a second that it is alive.
	stepGrace = 10 * second
	// fireGrace is how long after its time a delayed item may still be said
	// to be delayed.
	fireGrace = second
	// serverAge is how long writes and server spans wait for each other.
	serverAge = 60 * second
	// ahead is how far in the future a sample may be.
	ahead = 60 * second
)
