package server

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// newMetrics makes the handler of /metrics. The numbers are read when they are
// asked for, so that nothing is counted twice.
func (h *Hub) newMetrics() http.Handler {
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), &hubCollector{h})
	return promhttp.HandlerFor(reg, promhttp.HandlerOpts{})
}

type hubCollector struct{ hub *Hub }

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("tracer_"+name, help, labels, nil)
}

var (
	descInfo     = desc("build_info", "Always 1; says which version runs.", "version")
	descReady    = desc("ready", "1 when the hub takes spans and shows rows.")
	descSpans    = desc("ingest_spans_total", "Spans stored since the start.")
	descLogs     = desc("ingest_log_records_total", "Log records stored since the start.")
	descRejected = desc("ingest_rejected_total", "Spans and log records left out of stored requests, for being over a cap.")
	descRefused  = desc("ingest_refused_requests_total", "OTLP requests refused whole.")
	descBlocks   = desc("journal_blocks_total", "Blocks written since the start.")
	descBytes    = desc("journal_bytes_total", "Bytes written since the start.")
	descQueued   = desc("journal_queued_bytes", "Bytes that wait for the disk.")
	descOffset   = desc("journal_offset", "Offset of the newest durable block.")
	descDamaged  = desc("journal_damaged_blocks_total", "Blocks found damaged or missing since the start.")
	descReplay   = desc("journal_replay_seconds", "How long it took to fold the journal at the start.")
	descViewers  = desc("viewers", "Who watches now.")
	descFeeds    = desc("watch_filters", "Different filters that are watched or kept.")
	descFrames   = desc("watch_frames_total", "Frames encoded since the start.")
	descSent     = desc("watch_messages_total", "Messages sent to viewers since the start.")
	descLagged   = desc("watch_lagged_total", "Viewers that fell off the ring of frames.")
	descElided   = desc("watch_elided_reconciles_total", "Reconciles told to lagging viewers as counts only.")
	descRows     = desc("rows", "Rows kept, by kind; gaps among them.", "row")
)

// Describe implements prometheus.Collector.
func (c *hubCollector) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, ch) }

// Collect implements prometheus.Collector.
func (c *hubCollector) Collect(ch chan<- prometheus.Metric) {
	h := c.hub
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	total := func(d *prometheus.Desc, v int64) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v))
	}
	gauge(descInfo, 1, h.cfg.Version)
	ready := 0.0
	if h.ready.Load() {
		ready = 1
	}
	gauge(descReady, ready)
	in := h.otlp.Counts()
	total(descSpans, in.Spans)
	total(descLogs, in.Logs)
	total(descRejected, in.Rejected)
	total(descRefused, in.Refused)
	blocks, bytes := h.journal.Written()
	total(descBlocks, blocks)
	total(descBytes, bytes)
	gauge(descQueued, float64(h.journal.Queued()))
	gauge(descOffset, float64(h.journal.Last()))
	total(descDamaged, h.fold.damaged.Load())
	gauge(descReplay, time.Duration(h.fold.replayed.Load()).Seconds())
	out := h.watch.Stats()
	gauge(descViewers, float64(out.Viewers))
	gauge(descFeeds, float64(out.Feeds))
	total(descFrames, out.Frames)
	total(descSent, out.Written)
	total(descLagged, out.Lagged)
	total(descElided, out.Elided)
	for kind, n := range out.Rows {
		gauge(descRows, float64(n), string(kind))
	}
}
