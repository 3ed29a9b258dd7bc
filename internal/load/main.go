package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

// options are the flags.
type options struct {
	hub, token  string
	controllers int
	items       int
	writes      int
	rate        float64
	errors      float64
	lasting     time.Duration
	library     bool
}

func main() {
	var o options
	flag.StringVar(&o.hub, "hub", "http://127.0.0.1:7780", "the hub's URL")
	flag.StringVar(&o.token, "ingest-token", os.Getenv("TRACER_INGEST_TOKEN"), "the hub's ingest token (default: $TRACER_INGEST_TOKEN)")
	flag.IntVar(&o.controllers, "controllers", 1, "how many controllers there are")
	flag.IntVar(&o.items, "items", 50, "how many items each of them has")
	flag.IntVar(&o.writes, "writes", 1, "how many writes each reconcile makes")
	flag.Float64Var(&o.rate, "rate", 20, "reconciles a second, of all controllers together")
	flag.Float64Var(&o.errors, "errors", 0, "which part of them fails, from 0 to 1")
	flag.DurationVar(&o.lasting, "for", 10*time.Second, "for how long; 0 is until interrupted")
	flag.BoolVar(&o.library, "library", false, "reconcile for real, with the tracer library")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, out io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.lasting > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.lasting)
		defer cancel()
	}
	if o.library {
		return reconcile(ctx, o)
	}
	sent := newSender(o).send(ctx)
	return json.NewEncoder(out).Encode(sent)
}

func (o options) check() error {
	switch {
	case o.token == "":
		return errors.New("-ingest-token is empty: give the hub's, from the file ingest-token in its data folder")
	case o.controllers < 1 || o.items < 1:
		return fmt.Errorf("-controllers %d and -items %d: use 1 or more of each", o.controllers, o.items)
	case o.writes < 0 || o.writes > 100:
		return fmt.Errorf("-writes %d: use 0 to 100", o.writes)
	case o.rate <= 0:
		return fmt.Errorf("-rate %v: use more than 0", o.rate)
	case o.errors < 0 || o.errors > 1:
		return fmt.Errorf("-errors %v: use 0 to 1", o.errors)
	}
	return nil
}
