package telemetry

import "encoding/json"

// Signal is a kind of telemetry: traces, metrics or logs.
type Signal string

// Kinds of signals.
const (
	Traces  Signal = "traces"
	Metrics Signal = "metrics"
	Logs    Signal = "logs"
)

// Signals are all signals, in the order in which they are sent.
var Signals = []Signal{Traces, Metrics, Logs}

// Data is the telemetry of a record.
type Data struct {
	Resource []Attr
	Spans    []Span
	Metrics  []Metric
	Logs     []LogRecord
	LastSeq  int // of the record's last entry
}

const (
	maxItems = 512     // in one request
	maxBytes = 1 << 20 // of the items in one request before compression; a single item may be larger
)

// Request returns a signal's items of the entries after a number as one request.
func (d Data) Request(s Signal, after int) Request {
	switch s {
	case Traces:
		return d.spans(itemsAfter(d.Spans, after, func(s Span) int { return s.seq }))
	case Logs:
		return d.logs(itemsAfter(d.Logs, after, func(r LogRecord) int { return r.seq }))
	}
	if len(d.Metrics) == 0 || d.LastSeq <= after {
		return Request{}
	}
	return d.metrics(d.Metrics)
}

// Batches splits Request into requests of limited size, each as JSON.
func (d Data) Batches(s Signal, after int) (list [][]byte, err error) {
	switch s {
	case Traces:
		return batches(itemsAfter(d.Spans, after, func(s Span) int { return s.seq }), d.spans)
	case Logs:
		return batches(itemsAfter(d.Logs, after, func(r LogRecord) int { return r.seq }), d.logs)
	}
	if d.LastSeq <= after {
		return nil, nil
	}
	return batches(d.Metrics, d.metrics)
}

func itemsAfter[T any](list []T, after int, seq func(T) int) (out []T) {
	for _, one := range list {
		if seq(one) > after {
			out = append(out, one)
		}
	}
	return out
}

func batches[T any](items []T, wrap func([]T) Request) (list [][]byte, err error) {
	var part []T
	size := 0
	flush := func() error {
		if len(part) == 0 {
			return nil
		}
		body, err := json.Marshal(wrap(part))
		list, part, size = append(list, body), nil, 0
		return err
	}
	for _, one := range items {
		b, err := json.Marshal(one)
		if err != nil {
			return nil, err
		}
		if len(part) == maxItems || size+len(b) > maxBytes {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		part, size = append(part, one), size+len(b)
	}
	err = flush()
	return list, err
}

func (d Data) spans(list []Span) (r Request) {
	if len(list) > 0 {
		r.Spans = []resourceSpans{{resource{d.Resource}, []scopeSpans{{scope{Scope}, list, Schema}}, Schema}}
	}
	return r
}

func (d Data) metrics(list []Metric) (r Request) {
	r.Metrics = []resourceMetrics{{resource{d.Resource}, []scopeMetrics{{scope{Scope}, list, Schema}}, Schema}}
	return r
}

func (d Data) logs(list []LogRecord) (r Request) {
	if len(list) > 0 {
		r.Logs = []resourceLogs{{resource{d.Resource}, []scopeLogs{{scope{Scope}, list, Schema}}, Schema}}
	}
	return r
}
