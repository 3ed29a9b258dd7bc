package foreign_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// keep keeps a request as a line of OTLP JSON.
func (h *hub) keep(r *http.Request, body []byte) error {
	raw, err := unzip(r.Header.Get("Content-Encoding"), body)
	if err != nil {
		return err
	}
	var request proto.Message = new(tracepb.TracesData)
	if r.URL.Path == "/v1/logs" {
		request = new(logspb.LogsData)
	}
	if err := proto.Unmarshal(raw, request); err != nil {
		return err
	}
	line, err := otlpJSON(request)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sent.Write(append(line, '\n'))
	return nil
}

func unzip(encoding string, body []byte) ([]byte, error) {
	if encoding != "gzip" {
		return body, nil
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(unzipped)
}

// otlpJSON is OTLP's JSON, which differs from protobuf's: ids are hex, enums are
// numbers.
func otlpJSON(m proto.Message) ([]byte, error) {
	text, err := protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(m)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	if err := hexIDs(tree); err != nil {
		return nil, err
	}
	return json.Marshal(tree)
}

func hexIDs(tree any) error {
	switch node := tree.(type) {
	case []any:
		for _, element := range node {
			if err := hexIDs(element); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, value := range node {
			text, isText := value.(string)
			if isText && (name == "traceId" || name == "spanId" || name == "parentSpanId") {
				id, err := base64.StdEncoding.DecodeString(text)
				if err != nil {
					return fmt.Errorf("reading %s: %w", name, err)
				}
				node[name] = hex.EncodeToString(id)
			} else if err := hexIDs(value); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkSpans has `tracer check-spans` judge all that was sent.
func (h *hub) checkSpans(t *testing.T) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "spans.json")
	h.mu.Lock()
	err := os.WriteFile(path, h.sent.Bytes(), 0o600)
	h.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), tracerBinary(t), "check-spans", path).CombinedOutput()
	if err != nil {
		t.Errorf("check-spans: %v\n%s", err, out)
	}
	t.Logf("check-spans says:\n%s", out)
}
