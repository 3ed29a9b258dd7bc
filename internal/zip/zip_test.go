package zip

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

func TestWhatIsPackedIsReadByAnyone(t *testing.T) {
	want := strings.Repeat("the same again, ", 1000)
	packed, err := Bytes([]byte(want))
	if err != nil || len(packed) > len(want)/50 {
		t.Fatalf("it has %d bytes, %v", len(packed), err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil || string(got) != want {
		t.Errorf("it reads as %.40q, %v", got, err)
	}
}
