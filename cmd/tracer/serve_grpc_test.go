package main

import (
	"bytes"
	"log/slog"
	"net"
	"strings"
	"testing"
)

// TestUsualGRPCPortMayBeInUse, as by a collector; one that was chosen may not.
func TestUsualGRPCPortMayBeInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	taken := l.Addr().String()
	for _, c := range []struct {
		address string
		chosen  bool
		want    string
		said    bool
	}{
		{taken, false, "off", true},
		{taken, true, taken, false}, // the hub says it, and does not start
		{"127.0.0.1:0", false, "127.0.0.1:0", false},
		{"off", true, "off", false},
	} {
		var log bytes.Buffer
		o := serveOptions{grpcChosen: c.chosen}
		o.hub.OTLPGRPC, o.hub.Log = c.address, slog.New(slog.NewTextHandler(&log, nil))
		o.settleGRPC(t.Context())
		if said := strings.Contains(log.String(), "takes no OTLP over gRPC"); o.hub.OTLPGRPC != c.want || said != c.said {
			t.Errorf("%s, chosen %t: %s, said %t (%s), want %s, %t", c.address, c.chosen, o.hub.OTLPGRPC, said, log.String(), c.want, c.said)
		}
	}
}
