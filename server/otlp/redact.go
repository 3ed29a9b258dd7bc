package otlp

import (
	"regexp"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Redacted stands in place of a value that looks like a secret. The emitter's
// library lets none out; this is the second line, for other emitters.
const Redacted = "[redacted]"

// secretNames are parts of attribute names, in lower case, whose values never
// belong into a trace.
var secretNames = []string{
	"authorization", "cookie", "password", "passwd", "last-applied-configuration", "api-key", "api_key", "apikey",
	"private-key", "private_key", "access-token", "access_token", "refresh_token", "client-secret", "client_secret",
}

// secretValue finds credentials within a string.
var secretValue = regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+[a-z0-9._~+/=-]{8,}` +
	`|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*` +
	`|-----BEGIN [A-Z ]*PRIVATE KEY-----`)

func (r *traceRequest) redact() bool {
	changed := false
	for _, rs := range r.Traces().ResourceSpans().All() {
		changed = redactMap(rs.Resource().Attributes()) || changed
		for _, ss := range rs.ScopeSpans().All() {
			changed = redactMap(ss.Scope().Attributes()) || changed
			for _, s := range ss.Spans().All() {
				changed = redactSpan(s) || changed
			}
		}
	}
	return changed
}

func redactSpan(s ptrace.Span) bool {
	changed := redactMap(s.Attributes())
	changed = redactText(s.Name(), s.SetName) || changed
	changed = redactText(s.Status().Message(), s.Status().SetMessage) || changed
	changed = redactText(s.TraceState().AsRaw(), s.TraceState().FromRaw) || changed
	for _, e := range s.Events().All() {
		changed = redactMap(e.Attributes()) || changed
		changed = redactText(e.Name(), e.SetName) || changed
	}
	for _, l := range s.Links().All() {
		changed = redactMap(l.Attributes()) || changed
		changed = redactText(l.TraceState().AsRaw(), l.TraceState().FromRaw) || changed
	}
	return changed
}

// redactText replaces a text that is no attribute.
func redactText(text string, set func(string)) bool {
	clean, dirty := redactString(text)
	if dirty {
		set(clean)
	}
	return dirty
}

func (r *logRequest) redact() bool {
	changed := false
	for _, rl := range r.Logs().ResourceLogs().All() {
		changed = redactMap(rl.Resource().Attributes()) || changed
		for _, sl := range rl.ScopeLogs().All() {
			changed = redactMap(sl.Scope().Attributes()) || changed
			for _, l := range sl.LogRecords().All() {
				changed = redactMap(l.Attributes()) || changed
				changed = redactValue(l.Body()) || changed
				changed = redactText(l.EventName(), l.SetEventName) || changed
				changed = redactText(l.SeverityText(), l.SetSeverityText) || changed
			}
		}
	}
	return changed
}

func redactMap(m pcommon.Map) bool {
	changed := false
	for k, v := range m.All() {
		if isSecretName(k) {
			if v.Type() != pcommon.ValueTypeStr || v.Str() != Redacted {
				v.SetStr(Redacted)
				changed = true
			}
			continue
		}
		changed = redactValue(v) || changed
	}
	return changed
}

func redactValue(v pcommon.Value) bool {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		clean, dirty := redactString(v.Str())
		if dirty {
			v.SetStr(clean)
		}
		return dirty
	case pcommon.ValueTypeMap:
		return redactMap(v.Map())
	case pcommon.ValueTypeSlice:
		changed := false
		for _, inner := range v.Slice().All() {
			changed = redactValue(inner) || changed
		}
		return changed
	}
	return false
}

func isSecretName(name string) bool {
	// Most names are the contract's own, which hold none of the parts.
	if known[name] {
		return false
	}
	name = strings.ToLower(name)
	for _, part := range secretNames {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

func redactString(s string) (clean string, changed bool) {
	if len(s) < 12 {
		return s, false
	}
	if strings.Contains(s, "kubectl.kubernetes.io/last-applied-configuration") {
		return Redacted, true
	}
	if !secretValue.MatchString(s) {
		return s, false
	}
	return secretValue.ReplaceAllString(s, Redacted), true
}
