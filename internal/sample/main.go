package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/reconcile-tracer/tracer/internal/standin"
	"github.com/reconcile-tracer/tracer/internal/zip"
)

func main() {
	out := flag.String("o", filepath.Join("server", "recording", "sample.jsonl.gz"), "the file to write")
	tracer := flag.String("tracer", filepath.Join("bin", "tracer"), "the tracer program")
	localcluster := flag.String("localcluster", filepath.Join("bin", "localcluster"), "the localcluster program")
	lessonsTo := flag.String("lessons", "", "record the lessons instead, into this folder")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	record := func(ctx context.Context, data string) error { return recordSample(ctx, *out, *tracer, data) }
	if *lessonsTo != "" {
		record = func(ctx context.Context, data string) error { return recordLessons(ctx, *lessonsTo, *tracer, data) }
	}
	if err := run(ctx, *tracer, *localcluster, record); err != nil {
		fmt.Fprintln(os.Stderr, "sample:", err)
		os.Exit(1)
	}
}

// run records in a demo that is there for that alone, in the folder data.
func run(ctx context.Context, tracer, localcluster string, record func(ctx context.Context, data string) error) (err error) {
	data, err := os.MkdirTemp("", "tracer-sample-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	demo := exec.CommandContext(ctx, tracer, "demo", "--open=false", "--data", data, "--localcluster", localcluster)
	demo.Cancel = func() error { return demo.Process.Signal(os.Interrupt) }
	demo.WaitDelay = 20 * time.Second
	demo.Stderr = os.Stderr
	said, err := demo.StdoutPipe()
	if err != nil {
		return err
	}
	if err := demo.Start(); err != nil {
		return fmt.Errorf("starting the demo: %w", err)
	}
	defer func() {
		_ = demo.Process.Signal(os.Interrupt)
		_ = demo.Wait() // how it ends does not matter any more
	}()
	if err := awaitReady(said); err != nil {
		return err
	}
	return record(ctx, data)
}

func recordSample(ctx context.Context, out, tracer, data string) error {
	if err := perform(ctx, data); err != nil {
		return err
	}
	if err := export(ctx, out, tracer, data); err != nil {
		return fmt.Errorf("exporting: %w", err)
	}
	return check(out)
}

// export writes the session, gzipped.
func export(ctx context.Context, out, tracer, data string) error {
	cmd := exec.CommandContext(ctx, tracer, "export", "--data", data, "-o", "-")
	cmd.Stderr = os.Stderr
	plain, err := cmd.Output()
	if err != nil {
		return err
	}
	file, err := zip.Bytes(standin.For(data, plain))
	if err != nil {
		return err
	}
	return os.WriteFile(out, file, 0o644)
}

// perform plays the session in the demo of that data folder.
func perform(ctx context.Context, data string) error {
	address, err := os.ReadFile(filepath.Join(data, "hub", "address"))
	if err != nil {
		return err
	}
	s, err := newStage(filepath.Join(data, "kubeconfig"))
	if err != nil {
		return err
	}
	end, err := runCheckup(ctx, s.cfg, strings.TrimSpace(string(address)), filepath.Join(data, "hub", "ingest-token"))
	if err != nil {
		return err
	}
	defer end()
	return s.play(ctx)
}

func awaitReady(said interface{ Read([]byte) (int, error) }) error {
	for lines := bufio.NewScanner(said); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "ready: ") {
			return nil
		}
	}
	return errors.New("the demo ended before it was ready")
}
