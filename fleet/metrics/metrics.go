// Package metrics collects the metrics of one worker and serves them in Prometheus's text format:
// those of Temporal's SDK and those that belay derives from the records of tasks. They contain no
// names of tasks, files or people.
package metrics

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/belay-dev/belay/internal/telemetry"
)

// bySeconds are the upper bounds of the buckets of the SDK's timers.
var bySeconds = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200}

// Registry collects metrics. Its methods may be called concurrently; the zero value is empty.
type Registry struct {
	mu       sync.Mutex
	families map[string]*family
	gauges   []func(Set)
}

// Set sets a gauge. labels alternate names and values.
type Set func(name, help string, value float64, labels ...string)

type family struct {
	kind, help string
	series     map[string]*series // by formatted labels
}

type series struct {
	value  float64 // of a counter or gauge, or the sum of a histogram
	bounds []float64
	counts []uint64 // one for each bucket, and one for larger values
}

// findSeries returns a series, which it adds if needed. If the name exists with another kind, the
// series is not served: the output would be invalid.
func (r *Registry) findSeries(name, kind, help string, bounds []float64, labels []string) *series {
	name = plainName(name)
	if r.families == nil {
		r.families = map[string]*family{}
	}
	f := r.families[name]
	if f == nil {
		f = &family{kind: kind, help: help, series: map[string]*series{}}
		r.families[name] = f
	}
	if f.kind != kind {
		return &series{counts: make([]uint64, len(bounds)+1)}
	}
	key := formatLabels(labels)
	if f.series[key] == nil {
		f.series[key] = &series{bounds: bounds, counts: make([]uint64, len(bounds)+1)}
	}
	return f.series[key]
}

// Gauges registers a function that sets gauges at each scrape.
func (r *Registry) Gauges(do func(Set)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gauges = append(r.gauges, do)
}

// Add adds samples of a record. OpenTelemetry's names are converted to Prometheus's:
// belay.step.duration in s becomes belay_step_duration_seconds.
func (r *Registry) Add(all []telemetry.Sample) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range all {
		name, kind := s.Name+baseUnit(s.Unit), "histogram"
		if s.Bounds == nil {
			name, kind = name+"_total", "counter"
		}
		one := r.findSeries(name, kind, s.Help, s.Bounds, s.Labels)
		one.value += s.Value
		for i, n := range s.Counts {
			if i < len(one.counts) {
				one.counts[i] += n
			}
		}
	}
}

func baseUnit(of string) string {
	switch of {
	case "s":
		return "_seconds"
	case "By":
		return "_bytes"
	case "USD":
		return "_usd"
	}
	return ""
}

// Handler receives the metrics of Temporal's SDK.
func (r *Registry) Handler() client.MetricsHandler { return sdkHandler{r: r} }

type sdkHandler struct {
	r      *Registry
	labels []string
}

// WithTags adds labels.
func (h sdkHandler) WithTags(tags map[string]string) client.MetricsHandler {
	labels := slices.Clone(h.labels)
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		labels = append(labels, name, tags[name])
	}
	return sdkHandler{h.r, labels}
}

func (h sdkHandler) change(name, kind string, bounds []float64, do func(*series)) {
	h.r.mu.Lock()
	defer h.r.mu.Unlock()
	do(h.r.findSeries(name, kind, "Of Temporal's SDK", bounds, h.labels))
}

type counterFunc func(int64)

// Inc adds to a counter.
func (n counterFunc) Inc(by int64) { n(by) }

type gaugeFunc func(float64)

// Update sets a gauge.
func (v gaugeFunc) Update(to float64) { v(to) }

type timerFunc func(time.Duration)

// Record records a duration.
func (d timerFunc) Record(took time.Duration) { d(took) }

// Counter returns a counter.
func (h sdkHandler) Counter(name string) client.MetricsCounter {
	return counterFunc(func(by int64) { h.change(name+"_total", "counter", nil, func(s *series) { s.value += float64(by) }) })
}

// Gauge returns a gauge.
func (h sdkHandler) Gauge(name string) client.MetricsGauge {
	return gaugeFunc(func(to float64) { h.change(name, "gauge", nil, func(s *series) { s.value = to }) })
}

// Timer returns a histogram of durations.
func (h sdkHandler) Timer(name string) client.MetricsTimer {
	return timerFunc(func(took time.Duration) {
		h.change(name+"_seconds", "histogram", bySeconds, func(s *series) {
			i, _ := slices.BinarySearch(s.bounds, took.Seconds())
			s.value += took.Seconds()
			s.counts[i]++
		})
	})
}

// ServeHTTP writes all metrics.
func (r *Registry) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	text := r.exposition()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(text)
}

func (r *Registry) exposition() []byte {
	r.mu.Lock()
	ask := slices.Clone(r.gauges)
	r.mu.Unlock()
	now := Registry{families: map[string]*family{}} // fresh gauges: those of deleted things are not served
	for _, do := range ask {
		do(func(name, help string, v float64, labels ...string) {
			now.findSeries(name, "gauge", help, nil, labels).value = v
		})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, f := range r.families {
		if now.families[name] == nil {
			now.families[name] = f
		}
	}
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(now.families)) {
		f := now.families[name]
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, escapeLabel(f.help), name, f.kind)
		for _, labels := range slices.Sorted(maps.Keys(f.series)) {
			f.series[labels].write(&b, name, labels, f.kind)
		}
	}
	return b.Bytes()
}

func (s *series) write(b *bytes.Buffer, name, labels, kind string) {
	braces := func(more string) string {
		all := strings.Trim(labels+","+more, ",")
		if all == "" {
			return ""
		}
		return "{" + all + "}"
	}
	if kind != "histogram" {
		fmt.Fprintf(b, "%s%s %s\n", name, braces(""), formatFloat(s.value))
		return
	}
	total := uint64(0)
	for i, n := range s.counts {
		bound := math.Inf(1)
		if i < len(s.bounds) {
			bound = s.bounds[i]
		}
		total += n
		fmt.Fprintf(b, "%s_bucket%s %d\n", name, braces(`le="`+formatFloat(bound)+`"`), total)
	}
	fmt.Fprintf(b, "%s_sum%s %s\n%s_count%s %d\n", name, braces(""), formatFloat(s.value), name, braces(""), total)
}

func formatFloat(v float64) string {
	if math.IsInf(v, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// formatLabels formats labels without braces.
func formatLabels(labels []string) string {
	var all []string
	for i := 0; i+1 < len(labels); i += 2 {
		all = append(all, plainName(labels[i])+`="`+strings.ReplaceAll(escapeLabel(labels[i+1]), `"`, `\"`)+`"`)
	}
	return strings.Join(all, ",")
}

func escapeLabel(s string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(strings.ToValidUTF8(s, "?"))
}

// plainName replaces characters that the format does not allow by _.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, name)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name
}
