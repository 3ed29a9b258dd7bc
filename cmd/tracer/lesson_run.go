package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	lessoncluster "github.com/reconcile-tracer/tracer/lessons/cluster"
	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/lessons/play"
	"github.com/reconcile-tracer/tracer/server"
)

// lessonOptions are the flags of `tracer lesson run`.
type lessonOptions struct {
	hub, token, ingest string
	where              cluster
	data               string
	localcluster       string
	record             string
	io                 streams
}

func newLessonRun(io streams) *cobra.Command {
	o := lessonOptions{io: io}
	cmd := &cobra.Command{
		Use:   "run LESSON",
		Short: "Run a lesson without a page, and check that what it says comes true",
		Long: `Run a lesson without a page. LESSON is a file, or the id or the number of a
built-in one. Each beat is printed with what it does, what it waits for and what
came; a question is answered by what really happened, which must be the choice
that the lesson says is right.

With nothing else given it brings up a control plane, a hub and the reference
controller of its own, and takes them away again. With --data it runs in the
demo that uses that folder; with --hub, --token and --kubeconfig in any hub and
cluster. It works in a namespace of its own, which is deleted in the end.

With --record the session of a run that passes is written to a file, from the
first beat to when what the lesson made is gone, with the beats in it. 'tracer
replay' shows it without a cluster. Each beat then stays for some seconds, so
that it can be read when it is played.

The exit status is 1 when a beat fails; the error names the beat, the line in
the file and the remedy.`,
		Example: `  tracer lesson run 2
  tracer lesson run my-lesson.yaml

  # For those who have no cluster:
  tracer lesson run 2 --record lesson-2.jsonl.gz && tracer replay lesson-2.jsonl.gz

  # In the demo that runs already:
  tracer lesson run 2 --data ~/.local/share/tracer/demo

  # Against any hub and cluster:
  TRACER_TOKEN=… TRACER_INGEST_TOKEN=… tracer lesson run 2 --hub http://127.0.0.1:7780 --kubeconfig ~/.kube/config`,
		Args: oneArgument("LESSON", "a lesson's file, or the number of a built-in one ('tracer lesson list' lists them)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			l, err := findLesson(args[0])
			if err != nil {
				return err
			}
			return o.run(cmd.Context(), l)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.hub, "hub", "", "a hub that runs, as http://127.0.0.1:7780 (default: one of its own)")
	tokenFlag(f, &o.token, "token", "TRACER_TOKEN", "that hub's presenter's token")
	tokenFlag(f, &o.ingest, "ingest-token", "TRACER_INGEST_TOKEN", "that hub's token of controllers; without it the beats are not put into the history")
	f.StringVar(&o.where.kubeconfig, "kubeconfig", "", "with --hub: the cluster's kubeconfig (default: KUBECONFIG, else ~/.kube/config)")
	f.StringVar(&o.where.context, "context", "", "with --hub: the context in it (default: its current one)")
	f.StringVar(&o.data, "data", "", "the data folder of a demo that runs, whose hub, cluster and kept tokens are used (give --token to a demo that was given one)")
	f.StringVar(&o.record, "record", "", "the file that the session is written to, as lesson-2.jsonl.gz (default: none)")
	f.StringVar(&o.localcluster, "localcluster", "", "without --hub and --data: the localcluster program (default: beside tracer, else on PATH)")
	return cmd
}

func (o *lessonOptions) check() error {
	o.token = or(o.token, os.Getenv("TRACER_TOKEN"))
	o.ingest = or(o.ingest, os.Getenv("TRACER_INGEST_TOKEN"))
	switch {
	case o.hub != "" && o.data != "":
		return usagef("--hub and --data %q: both say which hub (leave one of them out)", o.data)
	case o.hub == "" && o.where != (cluster{}):
		return usagef("--kubeconfig and --context: they go with --hub (give it too, or leave them out)")
	case o.hub != "" && o.token == "":
		return usagef("--hub %q: its token is missing (give --token, better TRACER_TOKEN)", o.hub)
	}
	if u, err := url.Parse(o.hub); o.hub != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return usagef("--hub %q: not a URL (give it as http://127.0.0.1:7780)", o.hub)
	}
	return errors.Join(o.checkRecord(), checkSent(server.Tokens{Presenter: o.token, Ingest: o.ingest}))
}

// run runs the lesson until its end or Ctrl-C; what it made is gone then.
func (o *lessonOptions) run(ctx context.Context, l *format.Lesson) error {
	ctx, stop := lifetime(ctx, nil)
	defer stop()
	if o.hub == "" && o.data == "" {
		return o.runAlone(ctx, l)
	}
	remote, where := &play.Remote{URL: strings.TrimSuffix(o.hub, "/"), Token: o.token, Ingest: o.ingest, NoRecord: o.ingest == ""}, o.where
	if o.data != "" {
		var err error
		if remote, where, err = demoOf(o.data, o.token, o.ingest); err != nil {
			return err
		}
	}
	return o.play(ctx, l, remote, where, o.data)
}

// demoOf reads where a demo that runs has its hub and its cluster, and the tokens
// that were not given.
func demoOf(path, token, ingest string) (*play.Remote, cluster, error) {
	folder := &runFolder{path: path}
	url := hubAddress(folder.hub())
	if url == "" {
		return nil, cluster{}, fmt.Errorf("--data %q: no demo runs there (start one with tracer demo --data, or give --hub, --token and --kubeconfig)", path)
	}
	words := [2]string{token, ingest}
	for i, file := range []string{folder.pageToken(), folder.ingestToken()} {
		if words[i] != "" {
			continue
		}
		var err error
		if words[i], err = keptToken(file); err == nil && words[i] == "" {
			err = errNotKept
		}
		if err != nil {
			return nil, cluster{}, fmt.Errorf("--data %q: no demo of its own tokens runs there: %w (start one with tracer demo --data, or give --hub, --token and --kubeconfig)", path, err)
		}
	}
	return &play.Remote{URL: url, Token: words[0], Ingest: words[1]}, cluster{kubeconfig: folder.kubeconfig()}, nil
}

// play plays the lesson and says how it goes. Folder is the demo's, whose name
// is not to be in a recording; "" where it is not known.
func (o *lessonOptions) play(ctx context.Context, l *format.Lesson, hub *play.Remote, where cluster, folder string) error {
	found, err := where.config()
	if err != nil {
		return err
	}
	acts, err := lessoncluster.New(found.Config)
	if err != nil {
		return fmt.Errorf("%s: %w (mend it, or choose another with --kubeconfig and --context)", found.name, err)
	}
	if left, err := dataFolder("lessons"); err == nil {
		acts.Keep(left, nil)
	}
	hub.Client = &http.Client{Transport: &http.Transport{}}
	defer hub.Client.CloseIdleConnections()
	t := newTeacher(o.io.out, l)
	player := play.New(play.Config{
		Hub: hub, Cluster: acts, Lessons: []*format.Lesson{l}, OnChange: t.changed,
		Log: slog.New(slog.NewTextHandler(o.io.err, nil)),
	})
	defer player.Close()
	if o.record == "" {
		return t.teach(ctx, player)
	}
	t.rest = restFor
	if err := t.teach(ctx, player); err != nil {
		return err
	}
	return o.recordRun(ctx, l, hub, t.begun, folder)
}

// runAlone brings up all that a lesson needs, and takes it away again.
func (o *lessonOptions) runAlone(ctx context.Context, l *format.Lesson) (err error) {
	program, err := findLocalcluster(o.localcluster)
	if err != nil {
		return err
	}
	folder, err := openFolder(ctx, "", true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.close()) }()
	var hub addresses
	for _, to := range []*string{&hub.page, &hub.grpc} {
		if *to, err = settleAddress(ctx, anyPort); err != nil {
			return err
		}
	}
	d, err := newDemoRun(&demoOptions{io: o.io}, folder, program, hub)
	if err != nil {
		return err
	}
	d.command = "lesson"
	ctx, d.fail = context.WithCancelCause(ctx)
	defer d.fail(nil)
	defer d.end()
	if _, err := d.bringUpLoop(ctx); err != nil {
		return err
	}
	remote := &play.Remote{URL: "http://" + hub.page, Token: d.token, Ingest: d.ingest}
	return o.play(ctx, l, remote, cluster{kubeconfig: folder.kubeconfig()}, folder.path)
}
