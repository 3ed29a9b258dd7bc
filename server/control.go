package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"

	"github.com/reconcile-tracer/tracer/server/control"
	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/journal"
	"github.com/reconcile-tracer/tracer/server/otlp"
	"github.com/reconcile-tracer/tracer/server/watch"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// giveCommand gives a controller the presenter's command.
func (h *Hub) giveCommand(w http.ResponseWriter, r *http.Request) {
	body, ok := h.body(w, r, "a command", readJSON)
	if !ok {
		return
	}
	command, err := control.Decode(body)
	if err != nil {
		fail(w, http.StatusBadRequest, "%v", err)
		return
	}
	row, err := h.desk.Do(r.Context(), command)
	if refusal, ok := errors.AsType[*control.Refusal](err); ok {
		fail(w, refusal.Status, "%v", err)
		return
	}
	if err != nil {
		fail(w, http.StatusInternalServerError, "%v", err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	answer := map[string]string{"id": row.Key, "text": row.Text}
	if about := h.noteOn(command); about != "" {
		answer["note"] = about
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// needControl lets in controllers that take commands: no browser, and nobody
// with another of the hub's tokens.
func (h *Hub) needControl(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Origin") != "":
			fail(w, http.StatusForbidden, "a page cannot take commands: only controllers can, and they send no Origin")
		case !h.control.is(otlp.Bearer(r.Header.Get("Authorization"))):
			w.Header().Set("WWW-Authenticate", `Bearer realm="tracer"`)
			fail(w, http.StatusUnauthorized, "this needs the control token: send \"Authorization: Bearer <token>\" "+
				"with what is in the file %s of the hub's data folder", controlFile)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// takeCommands lets a controller take commands.
func (h *Hub) takeCommands(w http.ResponseWriter, r *http.Request) {
	if !watch.Upgrades(r) {
		fail(w, http.StatusUpgradeRequired, "this is a websocket: open it as one, with the subprotocol %s", wire.Subprotocol)
		return
	}
	h.desk.Attach(w, r)
}

// recordControl makes what the presenter said durable, as a log record like any
// other: so it is replayed, and goes out with what is exported.
func (h *Hub) recordControl(ctx context.Context, row flow.Control) error {
	payload, err := plogotlp.NewExportRequestFromLogs(controlLog(row, time.Now())).MarshalProto()
	if err != nil {
		return err
	}
	return h.journal.Append(ctx, journal.Record{Kind: journal.Kind(otlp.Logs), Payload: payload})
}

func controlLog(row flow.Control, now time.Time) plog.Logs {
	logs := plog.NewLogs()
	resource := logs.ResourceLogs().AppendEmpty()
	resource.Resource().Attributes().PutStr(semconv.AttrServiceName, "tracer-hub")
	scope := resource.ScopeLogs().AppendEmpty()
	scope.Scope().SetName(semconv.ScopeName)
	l := scope.LogRecords().AppendEmpty()
	l.SetEventName(semconv.LogControl)
	l.SetTimestamp(pcommon.NewTimestampFromTime(now))
	a := l.Attributes()
	namespace, name, found := strings.Cut(row.Item, "/")
	if !found {
		namespace, name = "", row.Item
	}
	for _, f := range []struct{ name, value string }{
		{semconv.AttrController, row.Controller}, {semconv.AttrNamespace, namespace}, {semconv.AttrObjectName, name},
		{semconv.AttrControlID, row.Key}, {semconv.AttrControlCommand, row.Command}, {semconv.AttrControlPhase, row.Phase},
		{semconv.AttrControlText, row.Text}, {semconv.AttrControlBy, row.By}, {semconv.AttrControlLifted, row.Lifted},
	} {
		if f.value != "" {
			a.PutStr(f.name, f.value)
		}
	}
	for _, f := range []struct {
		name  string
		value int64
	}{{semconv.AttrControlFrom, row.From}, {semconv.AttrControlTo, row.To}, {semconv.AttrControlUntil, row.Until}} {
		if f.value != 0 {
			a.PutInt(f.name, f.value)
		}
	}
	return logs
}
