package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"time"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := command(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "benchmarks:", err)
		cancel()
		os.Exit(1)
	}
}

func command(ctx context.Context) error {
	rounds := flag.Int("rounds", 7, "how often each side has its turn")
	n := flag.Int("n", 50_000, "operations in a turn")
	rate := flag.Int("rate", 200, "reconciles a second")
	measured := flag.Duration("for", 5*time.Second, "how long a controller's turn is measured")
	role := flag.String("role", "", "what the processes that it starts are: server or controller")
	url := flag.String("api", "", "of -role controller: the API server")
	endpoint := flag.String("endpoint", "", "of -role controller: the hub; none is untraced")
	flag.Parse()
	switch *role {
	case "server":
		return serveAPI(ctx)
	case "controller":
		return runController(ctx, *url, *endpoint, *rate, time.Second, *measured)
	}
	if *rounds < 1 || *n < 100 || *rate < 1 {
		return fmt.Errorf("-rounds, -n and -rate are %d, %d and %d: use at least 1, 100 and 1", *rounds, *n, *rate)
	}
	return withServer(ctx, func(url string) error {
		if err := spanTable(url, *rounds, *n); err != nil {
			return err
		}
		return controllerTable(ctx, url, *rounds, *rate, *measured)
	})
}

// withServer runs do with the URL of a server process.
func withServer(ctx context.Context, do func(url string) error) error {
	cmd := exec.CommandContext(ctx, os.Args[0], "-role", "server")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting the server: %w", err)
	}
	defer func() { stdin.Close(); _ = cmd.Wait() }()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return fmt.Errorf("reading the server's address: %w", err)
	}
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	return do(strings.TrimSpace(line))
}

// spanTable compares spans and calls.
func spanTable(hub string, rounds, n int) error {
	t, q, end, err := traced(hub)
	if err != nil {
		return err
	}
	defer end()
	_, off, endOff, err := traced("")
	if err != nil {
		return err
	}
	defer endOff()
	ctx, plain := reconciling(q), reconciling(off)
	otel := bareSDK().Tracer("bench")
	fmt.Print("| what | CPU of the caller, ns | allocations | : the other | goal |\n|---|---|---|---|---|\n")
	row("phase, beside a bare SDK span", "≤ 1.3", inTurn(rounds, n, side{"", phases(ctx)}, side{"", bareSpans(otel)}))
	row("cache read, beside a bare SDK span with its 3 attributes", "–",
		inTurn(rounds, n, side{"", reads(ctx, t)}, side{"", bareSpans(otel, readAttributes...)}))
	for name, contentType := range map[string]string{"protobuf": asProtobuf, "JSON": asJSON} {
		calls := inTurn(rounds, n/5, callSides(ctx, t, contentType)...)
		row("API call through the transport, "+name+" bodies, beside otelhttp's", "≤ 1", calls[:2])
		row("otelhttp's, "+name+" bodies, beside no transport", "–", calls[1:])
	}
	offCosts := inTurn(rounds, 100*n, side{"", phases(plain)}, side{"", func(int) {}})
	fmt.Printf("| a phase while another tracer of the process is on | %.1f | %.0f | – | – |\n",
		median(numbers(offCosts[0], threadNanos)), median(numbers(offCosts[0], allocations)))
	end()
	offCosts = inTurn(rounds, 100*n, side{"", phases(plain)}, side{"", func(int) {}})
	fmt.Printf("| a phase, off | %.1f | %.0f | – | ≤ 5 ns, 0 |\n\n",
		median(numbers(offCosts[0], threadNanos)), median(numbers(offCosts[0], allocations)))
	return nil
}

// row prints the first two sides.
func row(what, goal string, c [][]cost) {
	a, b := numbers(c[0], threadNanos), numbers(c[1], threadNanos)
	fmt.Printf("| %s | %.0f : %.0f | %.0f : %.0f | %s | %s |\n", what, median(a), median(b),
		median(numbers(c[0], allocations)), median(numbers(c[1], allocations)), ratio(a, b), goal)
}

// controllerTable compares a traced with an untraced controller.
func controllerTable(ctx context.Context, url string, rounds, rate int, measured time.Duration) error {
	var on, off []run
	for range rounds {
		for _, s := range []struct {
			endpoint string
			into     *[]run
		}{{url, &on}, {"", &off}} {
			r, err := turn(ctx, url, s.endpoint, rate, measured)
			if err != nil {
				return err
			}
			*s.into = append(*s.into, r)
		}
	}
	fmt.Printf("| a controller at %d reconciles/s, traced beside untraced | traced : untraced | ratio | goal |\n|---|---|---|---|\n", rate)
	for _, of := range []struct {
		name string
		of   func(run) float64
		goal string
	}{
		{"CPU a reconcile, µs", func(r run) float64 { return float64(r.CPU) / 1e3 }, "≤ 1.05"},
		{"p50, µs", func(r run) float64 { return float64(r.P50) / 1e3 }, "–"},
		{"p99, µs", func(r run) float64 { return float64(r.P99) / 1e3 }, "≤ 1.05"},
	} {
		a, b := numbers(on, of.of), numbers(off, of.of)
		fmt.Printf("| %s | %.0f : %.0f | %s | %s |\n", of.name, median(a), median(b), ratio(a, b), of.goal)
	}
	return nil
}

// turn runs one controller in a process of its own.
func turn(ctx context.Context, url, endpoint string, rate int, measured time.Duration) (r run, err error) {
	cmd := exec.CommandContext(ctx, os.Args[0], "-role", "controller", "-api", url, "-endpoint", endpoint,
		"-rate", fmt.Sprint(rate), "-for", measured.String())
	// The server lists and watches; it does not stream lists.
	cmd.Env = append(os.Environ(), "KUBE_FEATURE_WatchListClient=false", "OTEL_EXPORTER_OTLP_ENDPOINT=")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return r, fmt.Errorf("running the controller: %w", err)
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return r, fmt.Errorf("reading what the controller says: %w", err)
	}
	return r, nil
}
