package tracer

import (
	"context"
	"errors"
	"io"
	"net"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Types of errors that do not come from the API server.
const (
	errTimeout    = "timeout"
	errCanceled   = "canceled"
	errConnection = "connection"
	errOther      = "error"
)

// terminal marks an error that must not be tried again.
type terminal struct{ error }

func (t terminal) Unwrap() error { return t.error }

// Terminal marks err for Finish as one that no other try can mend, which makes
// the result terminal_error. It is nil for nil.
func Terminal(err error) error {
	if err == nil {
		return nil
	}
	return terminal{err}
}

// errorType names the kind of an error: the API server's reason where there is
// one. It never holds the message, which may quote the object.
func errorType(err error) string {
	kind, ok := spared(func() string { return kindOf(err) })
	if !ok { // a nil pointer as an error, say
		return errOther
	}
	return kind
}

func kindOf(err error) string {
	var network net.Error
	switch reason := apierrors.ReasonForError(err); {
	case err == nil:
		return ""
	case reason != "":
		return word(string(reason))
	case errors.Is(err, context.DeadlineExceeded):
		return errTimeout
	case errors.Is(err, context.Canceled):
		return errCanceled
	case errors.As(err, &network) && network.Timeout():
		return errTimeout
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errConnection
	default:
		return errOther
	}
}

// maxWord is how long a word that is shown may be.
const maxWord = 64

// word lets through what looks like one word (a reason, a phase, a type) and
// nothing else, so that no free text leaves the process.
func word(s string) string {
	if len(s) == 0 || len(s) > maxWord {
		return ""
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '-', c == '_', c == '/':
		default:
			return ""
		}
	}
	return s
}
