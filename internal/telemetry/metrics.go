package telemetry

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/belay-dev/belay/internal/loop"
)

// metric describes one metric.
type metric struct {
	name, unit, doc string
	bounds          []float64 // of a histogram
	float           bool
}

// Bounds of buckets, as the conventions advise for durations in seconds and for tokens.
var (
	bySeconds = []float64{.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 163.84, 327.68, 655.36, 1310.72}
	byBytes   = []float64{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28, 1 << 30, 1 << 32}
	byTokens  = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
)

var (
	attempts  = metric{name: "belay.attempts", unit: "{attempt}", doc: "Runs of an agent, by how they ended"}
	tasks     = metric{name: "belay.tasks", unit: "{task}", doc: "Tasks that ended, by outcome"}
	verdicts  = metric{name: "belay.check.verdicts", unit: "{verdict}", doc: "Verdicts, by check"}
	found     = metric{name: "belay.findings", unit: "{finding}", doc: "Findings, by check and severity"}
	gates     = metric{name: "belay.gates", unit: "{gate}", doc: "Decisions at gates, by kind of gate"}
	snapshots = metric{name: "belay.snapshots", unit: "{snapshot}", doc: "Snapshots, by the step they were taken in"}
	sizes     = metric{name: "belay.snapshot.size", unit: "By", doc: "Bytes that a snapshot added to the repository", bounds: byBytes}
	tools     = metric{name: "belay.tool_calls", unit: "{call}", doc: "Tool calls, by agent and tool"}
	cost      = metric{name: "belay.cost", unit: "USD", doc: "Known cost of agents", float: true}
	stepTime  = metric{name: "belay.step.duration", unit: "s", doc: "Duration of the steps of a task", bounds: bySeconds}
	checkTime = metric{name: "belay.check.duration", unit: "s", doc: "Duration of checks", bounds: bySeconds}
	tokens    = metric{name: "gen_ai.client.token.usage", unit: "{token}", doc: "Number of input and output tokens used", bounds: byTokens}
	runTime   = metric{name: "gen_ai.client.operation.duration", unit: "s", doc: "GenAI operation duration", bounds: bySeconds}
)

// sums adds up what a record tells.
type sums struct {
	of map[string]map[string]*series // by metric, then by attributes
	is map[string]metric

	off bool // what comes does not count
}

type series struct {
	attrs  []Attr
	sum    float64
	count  int64
	counts []number
}

func newSums() *sums {
	return &sums{of: map[string]map[string]*series{}, is: map[string]metric{}}
}

func (s *sums) series(m metric, attrs []Attr) *series {
	key, err := json.Marshal(attrs)
	if err != nil {
		key = nil
	}
	if s.of[m.name] == nil {
		s.of[m.name], s.is[m.name] = map[string]*series{}, m
	}
	one := s.of[m.name][string(key)]
	if one == nil {
		one = &series{attrs: attrs, counts: make([]number, len(m.bounds)+1)}
		s.of[m.name][string(key)] = one
	}
	return one
}

func (s *sums) add(m metric, v float64, attrs ...Attr) {
	if !s.off {
		s.series(m, attrs).sum += v
	}
}

// observe counts a value. Bounds are inclusive.
func (s *sums) observe(m metric, v float64, attrs ...Attr) {
	if s.off {
		return
	}
	one := s.series(m, attrs)
	i, _ := slices.BinarySearch(m.bounds, v)
	one.sum, one.count, one.counts[i] = one.sum+v, one.count+1, one.counts[i]+1
}

// invoked counts a run of an agent.
func (s *sums) invoked(e loop.Event, ended string, same []Attr) {
	s.add(attempts, 1, append(slices.Clone(same[1:]), text("belay.attempt.ended", ended))...)
	s.observe(runTime, e.Elapsed.Seconds(), same...)
	if e.Cost > 0 {
		s.add(cost, e.Cost, same[1:]...)
	}
	if t := e.Tokens; t != nil {
		s.observe(tokens, float64(t.Input+t.CacheRead+t.CacheWrite), append(slices.Clone(same), text("gen_ai.token.type", "input"))...)
		s.observe(tokens, float64(t.Output), append(slices.Clone(same), text("gen_ai.token.type", "output"))...)
	}
}

// metrics are the sums from the record's first entry to its last: sent twice they are the same points.
func (s *sums) metrics(from, to time.Time) (list []Metric) {
	for _, key := range slices.Sorted(maps.Keys(s.of)) {
		m := s.is[key]
		out := Metric{Name: m.name, Description: m.doc, Unit: m.unit}
		if m.bounds != nil {
			out.Histogram = &Histogram{Temporality: cumulative}
		} else {
			out.Sum = &Sum{Temporality: cumulative, Monotonic: true}
		}
		for _, k := range slices.Sorted(maps.Keys(s.of[key])) {
			one := s.of[key][k]
			switch {
			case m.bounds != nil:
				out.Histogram.Points = append(out.Histogram.Points, Buckets{Attrs: one.attrs, Start: nanos(from), Time: nanos(to),
					Count: number(one.count), Sum: one.sum, Counts: one.counts, Bounds: m.bounds})
			case m.float:
				out.Sum.Points = append(out.Sum.Points, Point{Attrs: one.attrs, Start: nanos(from), Time: nanos(to), Float: &one.sum})
			default:
				n := number(one.sum)
				out.Sum.Points = append(out.Sum.Points, Point{Attrs: one.attrs, Start: nanos(from), Time: nanos(to), Int: &n})
			}
		}
		list = append(list, out)
	}
	return list
}

// Sample is a point of a metric for those who do not speak OTLP.
type Sample struct {
	Name, Help, Unit string
	Labels           []string  // names and values in turn
	Value            float64   // the sum
	Bounds           []float64 // of a histogram: the upper bounds of its buckets; nil for a sum
	Counts           []uint64  // in each bucket, and in one more for what is larger
}

// Samples are the points of the metrics.
func Samples(all []Metric) (list []Sample) {
	for _, m := range all {
		of := Sample{Name: m.Name, Help: m.Description, Unit: m.Unit}
		if m.Histogram != nil {
			for _, p := range m.Histogram.Points {
				of.Labels, of.Value, of.Bounds, of.Counts = labels(p.Attrs), p.Sum, p.Bounds, nil
				for _, n := range p.Counts {
					of.Counts = append(of.Counts, uint64(n))
				}
				list = append(list, of)
			}
			continue
		}
		for _, p := range m.Sum.Points {
			of.Labels, of.Value = labels(p.Attrs), 0
			if p.Int != nil {
				of.Value = float64(*p.Int)
			} else if p.Float != nil {
				of.Value = *p.Float
			}
			list = append(list, of)
		}
	}
	return list
}

func labels(attrs []Attr) (list []string) {
	for _, a := range attrs {
		value := ""
		switch v := a.Value; {
		case v.Text != nil:
			value = *v.Text
		case v.Int != nil:
			value = strconv.FormatInt(int64(*v.Int), 10)
		case v.Truth != nil:
			value = strconv.FormatBool(*v.Truth)
		}
		list = append(list, a.Key, value)
	}
	return list
}
