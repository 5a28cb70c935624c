package telemetry

import (
	"encoding/json"
	"strconv"
	"time"
)

// The types below are OTLP's JSON encoding (opentelemetry-proto 1.x): IDs are hex, 64-bit integers
// are strings, enums are numbers.

// Schema is the version of the semantic conventions that names of attributes follow.
const Schema = "https://opentelemetry.io/schemas/1.41.0"

// Scope names the instrumentation.
const Scope = "github.com/belay-dev/belay"

// Attr is an attribute.
type Attr struct {
	Key   string `json:"key"`
	Value Value  `json:"value"`
}

// Value has one of its fields set.
type Value struct {
	Text  *string  `json:"stringValue,omitempty"`
	Int   *number  `json:"intValue,omitempty"`
	Float *float64 `json:"doubleValue,omitempty"`
	Bool  *bool    `json:"boolValue,omitempty"`
}

// number is a 64-bit integer, which is a string in JSON.
type number int64

// MarshalJSON encodes the number as a string.
func (n number) MarshalJSON() ([]byte, error) {
	return strconv.AppendQuote(nil, strconv.FormatInt(int64(n), 10)), nil
}

// UnmarshalJSON decodes a number or a string.
func (n *number) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) != nil {
		text = string(b)
	}
	v, err := strconv.ParseInt(text, 10, 64)
	*n = number(v)
	return err
}

func nanos(t time.Time) number { return number(t.UnixNano()) }

func textAttr(key, v string) Attr { return Attr{key, Value{Text: &v}} }

func intAttr(key string, v int64) Attr {
	n := number(v)
	return Attr{key, Value{Int: &n}}
}

func floatAttr(key string, v float64) Attr { return Attr{key, Value{Float: &v}} }

func boolAttr(key string, v bool) Attr { return Attr{key, Value{Bool: &v}} }

// Span is one span.
type Span struct {
	Trace  string `json:"traceId"`
	ID     string `json:"spanId"`
	Parent string `json:"parentSpanId,omitempty"`
	Name   string `json:"name"`
	Kind   int    `json:"kind"` // 1 is internal
	Start  number `json:"startTimeUnixNano"`
	End    number `json:"endTimeUnixNano"`
	Attrs  []Attr `json:"attributes,omitempty"`
	Links  []Link `json:"links,omitempty"`
	Status Status `json:"status,omitzero"`
	seq    int    // of the entry that ended it
}

// Link is a link to another span.
type Link struct {
	Trace string `json:"traceId"`
	ID    string `json:"spanId"`
	Attrs []Attr `json:"attributes,omitempty"`
}

// Status is 0 (not set), 1 (ok) or 2 (error).
type Status struct {
	Code int `json:"code"`
}

const (
	internal    = 1
	statusError = 2
	cumulative  = 2 // AGGREGATION_TEMPORALITY_CUMULATIVE
)

// LogRecord is one log record.
type LogRecord struct {
	Time     number `json:"timeUnixNano"`
	Observed number `json:"observedTimeUnixNano"`
	Severity int    `json:"severityNumber"`
	Level    string `json:"severityText"`
	Event    string `json:"eventName"`
	Body     Value  `json:"body"`
	Attrs    []Attr `json:"attributes,omitempty"`
	Trace    string `json:"traceId"`
	Span     string `json:"spanId,omitempty"`
	seq      int
}

// Metric is one metric: a sum or a histogram.
type Metric struct {
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Unit        string     `json:"unit"`
	Sum         *Sum       `json:"sum,omitempty"`
	Histogram   *Histogram `json:"histogram,omitempty"`
}

// Sum is a sum since the task's first entry.
type Sum struct {
	Points      []Point `json:"dataPoints"`
	Temporality int     `json:"aggregationTemporality"`
	Monotonic   bool    `json:"isMonotonic"`
}

// Point is a point of a sum.
type Point struct {
	Attrs []Attr   `json:"attributes,omitempty"`
	Start number   `json:"startTimeUnixNano"`
	Time  number   `json:"timeUnixNano"`
	Int   *number  `json:"asInt,omitempty"`
	Float *float64 `json:"asDouble,omitempty"`
}

// Histogram counts values by buckets.
type Histogram struct {
	Points      []Buckets `json:"dataPoints"`
	Temporality int       `json:"aggregationTemporality"`
}

// Buckets is a point of a histogram.
type Buckets struct {
	Attrs  []Attr    `json:"attributes,omitempty"`
	Start  number    `json:"startTimeUnixNano"`
	Time   number    `json:"timeUnixNano"`
	Count  number    `json:"count"`
	Sum    float64   `json:"sum"`
	Counts []number  `json:"bucketCounts"`
	Bounds []float64 `json:"explicitBounds"`
}

type scope struct {
	Name string `json:"name"`
}

type resource struct {
	Attrs []Attr `json:"attributes"`
}

// Request is the body of one request, with the field of its signal set.
type Request struct {
	Spans   []resourceSpans   `json:"resourceSpans,omitempty"`
	Metrics []resourceMetrics `json:"resourceMetrics,omitempty"`
	Logs    []resourceLogs    `json:"resourceLogs,omitempty"`
}

type resourceSpans struct {
	Resource resource     `json:"resource"`
	Scopes   []scopeSpans `json:"scopeSpans"`
	Schema   string       `json:"schemaUrl"`
}

type scopeSpans struct {
	Scope  scope  `json:"scope"`
	Spans  []Span `json:"spans"`
	Schema string `json:"schemaUrl"`
}

type resourceMetrics struct {
	Resource resource       `json:"resource"`
	Scopes   []scopeMetrics `json:"scopeMetrics"`
	Schema   string         `json:"schemaUrl"`
}

type scopeMetrics struct {
	Scope   scope    `json:"scope"`
	Metrics []Metric `json:"metrics"`
	Schema  string   `json:"schemaUrl"`
}

type resourceLogs struct {
	Resource resource    `json:"resource"`
	Scopes   []scopeLogs `json:"scopeLogs"`
	Schema   string      `json:"schemaUrl"`
}

type scopeLogs struct {
	Scope  scope       `json:"scope"`
	Logs   []LogRecord `json:"logRecords"`
	Schema string      `json:"schemaUrl"`
}
