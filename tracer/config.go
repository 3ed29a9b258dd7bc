package tracer

import (
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Config says what is traced and where it is sent. Only Controller must be
// set. It is copied by Start.
type Config struct {
	// Controller is the controller's name, unique within a hub.
	Controller string
	// For is the kind that is reconciled.
	For schema.GroupVersionKind
	// Workers is how many workers there will be; Tracer.Workers changes it.
	Workers int
	// Endpoint is the hub's base URL, http or https, without /v1/traces.
	// Default: OTEL_EXPORTER_OTLP_ENDPOINT. Both empty: tracing is off. What
	// is sent is compressed with gzip unless the host is this machine;
	// OTEL_EXPORTER_OTLP_COMPRESSION (gzip or none) decides otherwise.
	Endpoint string
	// Headers go with every request to the hub. Default:
	// OTEL_EXPORTER_OTLP_HEADERS ("name=value,…", values URL-encoded). They
	// are never logged.
	Headers map[string]string
	// ServiceName is the resource's service.name. Default: OTEL_SERVICE_NAME,
	// then Controller.
	ServiceName string
	// BufferSpans is how many finished spans may wait for the hub; what is
	// over that drops the oldest. Default 8192.
	BufferSpans int
	// Control lets whoever has the hub's control token hold this controller's
	// workers, slow them down and let their requests fail, while tracing is on:
	// see package control. Default false; TRACER_CONTROL, where it is set (1 or
	// 0), decides instead.
	Control bool
	// ControlToken is the hub's control token, which Control needs. Default:
	// TRACER_CONTROL_TOKEN. It is never logged.
	ControlToken string
	// Watches are those of a cache that the controller shares with others, for
	// commands that hold watch events; nil: those of its Transport.
	Watches *Watches
	// Logger takes what goes wrong with sending, at most one line for each
	// change. Default slog.Default().
	Logger *slog.Logger

	plain bool // nothing is compressed
}

const defaultBufferSpans = 8192

// withDefaults fills in what the environment and the defaults say.
func (c Config) withDefaults() (Config, error) {
	if c.Controller == "" {
		return c, fmt.Errorf("config: Controller is empty: name the controller")
	}
	if c.Endpoint == "" {
		c.Endpoint = os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	if c.ServiceName == "" {
		c.ServiceName = os.Getenv("OTEL_SERVICE_NAME")
	}
	if c.ServiceName == "" {
		c.ServiceName = c.Controller
	}
	if c.BufferSpans < 0 {
		return c, fmt.Errorf("config: BufferSpans is %d: use 1 or more, or 0 for %d", c.BufferSpans, defaultBufferSpans)
	}
	if c.BufferSpans == 0 {
		c.BufferSpans = defaultBufferSpans
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if err := checkEndpoint(c.Endpoint); err != nil {
		return c, err
	}
	c.plain = plain(c.Endpoint, os.Getenv("OTEL_EXPORTER_OTLP_COMPRESSION"))
	c, err := c.withControl()
	if err != nil {
		return c, err
	}
	return c.withHeaders()
}

// withControl takes from the environment whether commands are taken.
func (c Config) withControl() (Config, error) {
	switch set := os.Getenv("TRACER_CONTROL"); set {
	case "":
	case "1", "true":
		c.Control = true
	case "0", "false":
		c.Control = false
	default:
		return c, fmt.Errorf("config: TRACER_CONTROL is %q: use 1 to take commands, or 0", set)
	}
	if c.ControlToken == "" {
		c.ControlToken = os.Getenv("TRACER_CONTROL_TOKEN")
	}
	if c.Control && c.Endpoint != "" && c.ControlToken == "" {
		return c, fmt.Errorf("config: Control needs ControlToken (TRACER_CONTROL_TOKEN): give what is in the file control-token of the hub's data folder")
	}
	return c, nil
}

// plain tells whether requests go uncompressed: as asked (gzip or none), else
// when the hub is on this machine, where compressing costs more than it saves.
func plain(endpoint, compression string) bool {
	if compression != "" {
		return compression != "gzip"
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || (ip != nil && ip.IsLoopback())
}

// withHeaders takes the headers from the environment unless they are set.
func (c Config) withHeaders() (Config, error) {
	if c.Headers != nil {
		return c, nil
	}
	headers, err := parseHeaders(os.Getenv("OTEL_EXPORTER_OTLP_HEADERS"))
	c.Headers = headers
	return c, err
}

func checkEndpoint(endpoint string) error {
	if endpoint == "" {
		return nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("config: Endpoint (OTEL_EXPORTER_OTLP_ENDPOINT) %q is no http or https URL: use one like http://127.0.0.1:7780", endpoint)
	}
	return nil
}

// parseHeaders reads the format of OTEL_EXPORTER_OTLP_HEADERS. An error names
// the position of the entry, never its value, which may be a secret.
func parseHeaders(s string) (map[string]string, error) {
	headers := map[string]string{}
	for i, entry := range strings.Split(s, ",") {
		if strings.TrimSpace(entry) == "" {
			continue
		}
		name, value, ok := strings.Cut(entry, "=")
		name = strings.TrimSpace(name)
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || name == "" || err != nil {
			return nil, fmt.Errorf("config: entry %d of OTEL_EXPORTER_OTLP_HEADERS is not name=value: write it like Authorization=Bearer%%20<token>", i+1)
		}
		headers[name] = decoded
	}
	return headers, nil
}
