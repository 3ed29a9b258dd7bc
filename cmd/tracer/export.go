package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/reconcile-tracer/tracer/server"
	"github.com/reconcile-tracer/tracer/server/recording"
)

// exportOptions are the flags of `tracer export`.
type exportOptions struct {
	out          string
	gzip         bool
	since, until string
	controllers  []string
	hub          string
	token        string
	data         string
	io           streams
}

func newExport(io streams) *cobra.Command {
	o := exportOptions{io: io}
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write what a hub holds to a file that can be played again",
		Long: `Write what a hub holds, its journal, as a recorded session: OTLP in JSON, one
request a line, as the OpenTelemetry Collector's file exporter writes it; with
gzip when the file's name ends in .gz. 'tracer replay' plays it again, and shows
the same rows at the same times: links to a moment stay good.

It asks the hub at --hub, or the one that runs in the data folder --data; when
none runs there it reads the folder's journal. With neither it looks in the usual
folders of 'tracer serve', 'tracer demo' and 'tracer attach': it asks the hub that
runs in one of them, wherever it listens. When several run, it names them and takes
none; when none runs, it takes the folder that was written to last.

The token that a data folder keeps is sent to the hub that runs in it, at the
address that this hub has written there, and to no other: give the token of any
other hub yourself, best in TRACER_TOKEN.

With --since, --until or --controller it writes a part: whole reconciles, hence
from a little before to a little after, and with those whose writes caused them.
What the hub has redacted stays redacted.`,
		Example: `  tracer export -o session.jsonl.gz
  tracer export --since 10m --controller podset -o podset.jsonl.gz

  # From another machine's hub, to look at it here:
  TRACER_TOKEN=<presenter's token> tracer export --hub https://tracer.example.test -o - | tracer replay -`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "the file to write; - is standard output (default: tracer-<time>.jsonl.gz in this folder)")
	f.BoolVar(&o.gzip, "gzip", false, "compress, whatever the file's name is")
	f.StringVar(&o.since, "since", "", "leave out what ended before: a time like 2006-01-02T15:04:05Z, or how long ago, like 10m")
	f.StringVar(&o.until, "until", "", "leave out what began after: a time, or how long ago")
	f.Var((*words)(&o.controllers), "controller", "only this controller; may be repeated")
	f.StringVar(&o.hub, "hub", "", "the hub's address (default: that of the one that runs; with a token given, else "+defaultHub+")")
	tokenFlag(f, &o.token, "token", "TRACER_TOKEN", "the presenter's token (default: the one kept in the data folder of the hub that runs)")
	f.StringVar(&o.data, "data", "", "the data folder of a hub, a demo or attach (default: the one in which a hub runs, else the one written to last)")
	return cmd
}

// defaultHub is where `tracer serve` listens when it is not told otherwise.
const defaultHub = "http://127.0.0.1:7780"

func (o *exportOptions) check() error {
	o.token = or(o.token, os.Getenv("TRACER_TOKEN"))
	for _, t := range []struct{ flag, value string }{{"since", o.since}, {"until", o.until}} {
		if _, err := exportTime(t.value, time.Now()); err != nil {
			return usagef("--%s %q: not a time (give 2006-01-02T15:04:05Z, or how long ago, for example 10m)", t.flag, t.value)
		}
	}
	if err := checkHubURL("hub", o.hub); err != nil {
		return err
	}
	if o.out == "" {
		o.out = "tracer-" + time.Now().UTC().Format("20060102-150405") + ".jsonl.gz"
	}
	o.gzip = o.gzip || strings.HasSuffix(o.out, ".gz")
	return checkSent(server.Tokens{Presenter: o.token})
}

// exportTime reads a time, or how long ago something was; "" is 0.
func exportTime(value string, now time.Time) (int64, error) {
	if value == "" {
		return 0, nil
	}
	if ago, err := time.ParseDuration(value); err == nil && ago >= 0 {
		return now.Add(-ago).UnixMicro(), nil
	}
	at, err := time.Parse(time.RFC3339Nano, value)
	return at.UnixMicro(), err
}

func (o *exportOptions) window() recording.Window {
	now := time.Now()
	since, _ := exportTime(o.since, now) // checked
	until, _ := exportTime(o.until, now)
	return recording.Window{Since: since, Until: until, Controllers: o.controllers}
}

func (o *exportOptions) run(ctx context.Context) (err error) {
	ctx, stop := lifetime(ctx, nil)
	defer stop()
	from, err := o.findSource()
	if err != nil {
		return err
	}
	out, err := o.create()
	if err != nil {
		return err
	}
	counted := &countingWriter{to: out}
	p := newProgress(o.io.err)
	counts, err := o.copyTo(ctx, from, counted, p)
	p.clear()
	if err = errors.Join(err, out.end(err == nil)); err != nil {
		return orderly(ctx, err)
	}
	o.say("wrote %s, %s, %s to %s", grouped(counts.Requests, "request"), grouped(counts.Spans, "span"), bytesSaid(counted.n), out.name())
	if counts.Requests == 0 {
		o.say("nothing has been recorded yet: attach a controller first, 'tracer serve' says how")
	}
	return nil
}

// copyTo copies from the hub, or, when none is there and none was named, from the folder.
func (o *exportOptions) copyTo(ctx context.Context, from source, to *countingWriter, p *progress) (recording.Counts, error) {
	if from.url != "" {
		counts, err := o.fromHub(ctx, from, to, p)
		if o.hub != "" || !isAbsent(err) || from.folder == "" {
			return counts, err
		}
		o.say("no hub answers at %s", from.url)
	}
	o.say("no hub runs in %s: reading its journal", from.folder)
	counts, err := server.ExportFolder(ctx, from.folder, o.window(), o.gzip, to, func(c recording.Counts) { p.tell(c.Requests, to.n) })
	switch {
	case server.IsInUse(err):
		return counts, fmt.Errorf("a hub runs in %s, and does not say where: name its address with --hub, and give its presenter's token in TRACER_TOKEN", from.folder)
	case server.IsMissing(err):
		return counts, fmt.Errorf("no hub runs in %s, and it has no journal: start one, or name another with --hub or --data", from.folder)
	}
	return counts, err
}

func (o *exportOptions) say(format string, args ...any) {
	fmt.Fprintf(o.io.err, "tracer export: "+format+"\n", args...)
}

// outFile is where the recording goes. A file is there under its name only when
// it is whole; what is no file, such as a pipe or /dev/stdout, is written to as
// it is.
type outFile struct {
	io.Writer
	file *os.File // nil for standard output
	path string
}

func (o *exportOptions) create() (*outFile, error) {
	if o.out == "-" {
		return &outFile{Writer: o.io.out}, nil
	}
	at, how := o.out+".part", os.O_CREATE|os.O_WRONLY|os.O_TRUNC
	switch info, err := os.Stat(o.out); {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s: it is a folder (name a file)", o.out)
	case err == nil && !info.Mode().IsRegular():
		at, how = o.out, os.O_WRONLY
	}
	file, err := os.OpenFile(at, how, 0o600)
	if err != nil {
		return nil, explainOutput(o.out, err)
	}
	return &outFile{file, file, o.out}, nil
}

// explainOutput says why a file cannot be written.
func explainOutput(name string, err error) error {
	folder := filepath.Dir(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no folder %s (make it, or name a file elsewhere)", name, folder)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s: %s is a file, or a part of its path is (name a file in a folder)", name, folder)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: this user may not write there (name a file elsewhere)", name)
	}
	return fmt.Errorf("%s: %w (name a file elsewhere)", name, err)
}

func (f *outFile) name() string {
	if f.file == nil {
		return "standard output"
	}
	return f.path
}

// end gives the file its name when it is whole, and removes it else.
func (f *outFile) end(whole bool) error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	switch {
	case f.file.Name() == f.path: // no file
		return err
	case whole && err == nil:
		return os.Rename(f.file.Name(), f.path)
	}
	return errors.Join(err, os.Remove(f.file.Name()))
}
