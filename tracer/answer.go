package tracer

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// refused is an answer that is not a success.
type refused struct{ status int }

func (e refused) Error() string {
	said := fmt.Sprintf("the hub answered %d", e.status)
	if e.status == http.StatusUnauthorized || e.status == http.StatusForbidden {
		return said + `: it does not take the ingest token (set OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20<token>" with that in the file ingest-token of its data folder)`
	}
	return said
}

// retryable tells whether the same request may succeed later. Of the statuses
// they are those that OTLP names.
func retryable(err error) bool {
	var r refused
	if !errors.As(err, &r) {
		return true
	}
	switch r.status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// maybeOfThisOne tells whether another request may fare better: 429 says that
// the hub is full, and no answer that it cannot be reached, whatever is sent.
func maybeOfThisOne(err error) bool {
	var r refused
	return errors.As(err, &r) && r.status != http.StatusTooManyRequests
}

// partial is what a success says of what was left out of a request.
type partial struct {
	rejected int
	reason   string
}

// readPartial finds the partial success in an answer of either kind: both have
// it in field 1, and in that the number in field 1 and the reason in field 2.
// What is no such answer says nothing.
func readPartial(answer []byte) (p partial) {
	inner := field(answer, 1, protowire.BytesType)
	if inner == nil {
		return p
	}
	message, n := protowire.ConsumeBytes(inner)
	if n < 0 {
		return p
	}
	if b := field(message, 1, protowire.VarintType); b != nil {
		if v, n := protowire.ConsumeVarint(b); n > 0 && int64(v) > 0 {
			p.rejected = int(min(v, 1<<31-1))
		}
	}
	if b := field(message, 2, protowire.BytesType); b != nil {
		if v, n := protowire.ConsumeString(b); n > 0 {
			p.reason = v
		}
	}
	return p
}

// field is what begins with the value of the first such field, nil without one.
func field(b []byte, number protowire.Number, kind protowire.Type) []byte {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil
		}
		if b = b[n:]; num == number && typ == kind {
			return b
		}
		if n = protowire.ConsumeFieldValue(num, typ, b); n < 0 {
			return nil
		}
		b = b[n:]
	}
	return nil
}

const (
	// maxReasons is how many reasons of partial successes are logged.
	maxReasons = 16
	maxReason  = 512 // bytes of one
)

// reportPartial counts what the hub has left out of a request that it took, and
// logs each reason once.
func (s *sender) reportPartial(p partial, sent int) {
	if left := min(p.rejected, sent); left > 0 {
		s.source.lose(left)
	}
	reason := p.reason[:min(len(p.reason), maxReason)]
	if (p.rejected == 0 && reason == "") || len(s.reasons) == maxReasons || slices.Contains(s.reasons, reason) {
		return
	}
	s.reasons = append(s.reasons, reason)
	s.log.Warn("the hub leaves out some of what is sent; this reason is not logged again",
		"url", s.url, "left_out", p.rejected, "of", sent, "reason", reason)
}
