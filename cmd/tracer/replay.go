package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reconcile-tracer/tracer/server"
)

// replayOptions are the flags of `tracer replay`.
type replayOptions struct {
	file   string
	listen string
	token  string
	open   bool
	into   string
	ingest string
	speed  string
	log    logOptions
	io     streams
}

func newReplay(io streams) *cobra.Command {
	o := replayOptions{io: io}
	cmd := &cobra.Command{
		Use:   "replay <file>",
		Short: "Show a recorded session, or play it into a hub",
		Long: `Show a recorded session in the browser, as it was: what 'tracer export' or the
page's "Save this session" wrote, or any file of OTLP JSON lines from the
OpenTelemetry Collector's file exporter whose spans follow the span contract.
gzip is read too, and - is standard input.

One line, "ready: <login url>", goes to standard output when the page can be
opened. The hub that shows it listens on this machine only, takes no spans,
and leaves nothing behind. Links to a moment of the session lead there.

With --into, the session is sent to a running hub instead, at --speed: spans and
log records as they are, ids and times included. That hub then shows them in
the past, where they were.`,
		Example: `  tracer replay session.jsonl.gz
  zstdcat traces.json.zst | tracer replay -

  # As if it happened once more, ten times as fast, into the hub of 'tracer serve':
  export TRACER_INGEST_TOKEN=$(cat ~/.local/share/tracer/hub/ingest-token)
  tracer replay session.jsonl.gz --into http://127.0.0.1:7780 --speed 10`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			if err := o.check(cmd); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", anyPort, "the page's address, on this machine; port 0 takes a free one")
	tokenFlag(f, &o.token, "token", "TRACER_TOKEN", "the presenter's token (default: made anew)")
	f.BoolVar(&o.open, "open", true, "open the page in the browser")
	f.StringVar(&o.into, "into", "", "send it to the hub at this address, and show nothing here")
	tokenFlag(f, &o.ingest, "ingest-token", "TRACER_INGEST_TOKEN", "that hub's token for controllers, with --into")
	f.StringVar(&o.speed, "speed", "1", "how fast, with --into: 1 is as it was, 10 ten times as fast, max as fast as the hub takes it")
	o.log.addFlags(f)
	f.Lookup("log-level").DefValue = "warn"
	o.log.level = "warn"
	return cmd
}

func (o *replayOptions) check(cmd *cobra.Command) error {
	o.token = or(o.token, os.Getenv("TRACER_TOKEN"))
	o.ingest = or(o.ingest, os.Getenv("TRACER_INGEST_TOKEN"))
	for _, name := range []string{"speed", "ingest-token"} {
		if o.into == "" && cmd.Flags().Changed(name) {
			return usagef("--%s is for --into (give --into a hub's address, or leave --%s out)", name, name)
		}
	}
	for _, name := range []string{"listen", "open", "token"} {
		if o.into != "" && cmd.Flags().Changed(name) {
			return usagef("--%s has no meaning with --into (leave one of them out)", name)
		}
	}
	if _, err := parseSpeed(o.speed); err != nil {
		return err
	}
	if err := checkHubURL("into", o.into); err != nil {
		return err
	}
	if err := checkAddress("listen", o.listen); err != nil {
		return err
	}
	return errors.Join(checkLoopback("replay", o.listen), checkTokens(server.Tokens{Presenter: o.token}),
		checkSent(server.Tokens{Ingest: o.ingest}), o.log.check())
}

func (o *replayOptions) run(ctx context.Context) (err error) {
	ctx, stop := lifetime(ctx, nil)
	defer stop()
	if o.into != "" {
		return orderly(ctx, o.playInto(ctx))
	}
	return orderly(ctx, o.show(ctx))
}

// show runs a hub that has the recording alone.
func (o *replayOptions) show(ctx context.Context) (err error) {
	in, err := o.openFile()
	if err != nil {
		return err
	}
	defer in.Close()
	folder, err := os.MkdirTemp("", "tracer-replay-")
	if err != nil {
		return fmt.Errorf("%w (set TMPDIR to a folder that you may write to)", err)
	}
	defer atHurry(func() { _ = os.RemoveAll(folder) })()
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	name := recordingName(o.file)
	ready := make(chan struct{})
	hub, err := server.New(ctx, server.Config{
		Listen: o.listen, Data: folder, Token: o.token, Version: buildVersion(), Log: o.log.logger(o.io.err),
		Recordings: withLessons(server.Recording{Name: name, Title: filepath.Base(o.title()), Open: func() (io.ReadCloser, error) { return in, nil }}),
		Replay:     name,
		OnReady:    func() { close(ready) },
	})
	if bad, is := errors.AsType[*server.RecordingError](err); is {
		return explainFile(o.title(), bad.Err)
	}
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- hub.Run(ctx) }()
	select {
	case <-ready:
		fmt.Fprintf(o.io.out, "ready: %s\n", hub.LoginURL())
		if o.open {
			page := crew{command: "replay", io: o.io}
			page.openPage(ctx, hub.LoginURL())
		}
		return <-ended
	case err := <-ended:
		return err
	}
}

func (o *replayOptions) title() string {
	if o.file == "-" {
		return "standard input"
	}
	return o.file
}

func (o *replayOptions) openFile() (io.ReadCloser, error) {
	if o.file == "-" {
		return io.NopCloser(o.io.in), nil
	}
	in, err := os.Open(o.file)
	if err != nil {
		return nil, explainFile(o.file, err)
	}
	return in, nil
}

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// recordingName makes of a file's name one that an address can have: it is in
// the links, so that it must be the same whenever the file is.
func recordingName(file string) string {
	base := strings.ToLower(filepath.Base(file))
	for _, end := range []string{".gz", ".jsonl", ".json"} {
		base = strings.TrimSuffix(base, end)
	}
	name := strings.Trim(notInName.ReplaceAllString(base, "-"), "-")
	return or(strings.Trim(name[:min(len(name), 64)], "-"), "recording")
}
