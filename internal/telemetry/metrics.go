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
	bounds          []float64 // for a histogram
	float           bool
}

// Bounds of buckets, as the conventions recommend for durations in seconds and for tokens.
var (
	bySeconds = []float64{.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 163.84, 327.68, 655.36, 1310.72}
	byBytes   = []float64{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28, 1 << 30, 1 << 32}
	byTokens  = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
)

var (
	attemptsMetric  = metric{name: "belay.attempts", unit: "{attempt}", doc: "Runs of an agent, by how they ended"}
	tasksMetric     = metric{name: "belay.tasks", unit: "{task}", doc: "Tasks that ended, by outcome"}
	verdictsMetric  = metric{name: "belay.check.verdicts", unit: "{verdict}", doc: "Verdicts, by check"}
	findingsMetric  = metric{name: "belay.findings", unit: "{finding}", doc: "Findings, by check and severity"}
	gatesMetric     = metric{name: "belay.gates", unit: "{gate}", doc: "Decisions at gates, by kind of gate"}
	snapshotsMetric = metric{name: "belay.snapshots", unit: "{snapshot}", doc: "Snapshots, by the step they were taken in"}
	sizesMetric     = metric{name: "belay.snapshot.size", unit: "By", doc: "Bytes that a snapshot added to the repository", bounds: byBytes}
	toolsMetric     = metric{name: "belay.tool_calls", unit: "{call}", doc: "Tool calls, by agent and tool"}
	costMetric      = metric{name: "belay.cost", unit: "USD", doc: "Known cost of agents", float: true}
	stepTimeMetric  = metric{name: "belay.step.duration", unit: "s", doc: "Duration of the steps of a task", bounds: bySeconds}
	checkTimeMetric = metric{name: "belay.check.duration", unit: "s", doc: "Duration of checks", bounds: bySeconds}
	tokensMetric    = metric{name: "gen_ai.client.token.usage", unit: "{token}",
		doc: "Number of input and output tokens used", bounds: byTokens}
	runTimeMetric = metric{name: "gen_ai.client.operation.duration", unit: "s", doc: "GenAI operation duration", bounds: bySeconds}
)

// metricSums adds up the metrics of a record.
type metricSums struct {
	seriesByMetric map[string]map[string]*series // by metric, then by attributes
	metricByName   map[string]metric

	paused bool // values are not counted
}

type series struct {
	attrs  []Attr
	sum    float64
	count  int64
	counts []number
}

func newSums() *metricSums {
	return &metricSums{seriesByMetric: map[string]map[string]*series{}, metricByName: map[string]metric{}}
}

func (s *metricSums) seriesOf(m metric, attrs []Attr) *series {
	key, err := json.Marshal(attrs)
	if err != nil {
		key = nil
	}
	if s.seriesByMetric[m.name] == nil {
		s.seriesByMetric[m.name], s.metricByName[m.name] = map[string]*series{}, m
	}
	one := s.seriesByMetric[m.name][string(key)]
	if one == nil {
		one = &series{attrs: attrs, counts: make([]number, len(m.bounds)+1)}
		s.seriesByMetric[m.name][string(key)] = one
	}
	return one
}

func (s *metricSums) addValue(m metric, v float64, attrs ...Attr) {
	if !s.paused {
		s.seriesOf(m, attrs).sum += v
	}
}

// observe adds a value to a histogram. Upper bounds are inclusive.
func (s *metricSums) observe(m metric, v float64, attrs ...Attr) {
	if s.paused {
		return
	}
	one := s.seriesOf(m, attrs)
	i, _ := slices.BinarySearch(m.bounds, v)
	one.sum, one.count, one.counts[i] = one.sum+v, one.count+1, one.counts[i]+1
}

// countAgentRun counts a run of an agent.
func (s *metricSums) countAgentRun(e loop.Event, ended string, same []Attr) {
	s.addValue(attemptsMetric, 1, append(slices.Clone(same[1:]), textAttr("belay.attempt.ended", ended))...)
	s.observe(runTimeMetric, e.Elapsed.Seconds(), same...)
	if e.Cost > 0 {
		s.addValue(costMetric, e.Cost, same[1:]...)
	}
	if t := e.Tokens; t != nil {
		s.observe(tokensMetric, float64(t.Input+t.CacheRead+t.CacheWrite), append(slices.Clone(same),
			textAttr("gen_ai.token.type", "input"))...)
		s.observe(tokensMetric, float64(t.Output), append(slices.Clone(same), textAttr("gen_ai.token.type", "output"))...)
	}
}

// toMetrics returns the sums from the record's first entry to its last: sent again, they are the
// same points.
func (s *metricSums) toMetrics(from, to time.Time) (list []Metric) {
	for _, key := range slices.Sorted(maps.Keys(s.seriesByMetric)) {
		m := s.metricByName[key]
		out := Metric{Name: m.name, Description: m.doc, Unit: m.unit}
		if m.bounds != nil {
			out.Histogram = &Histogram{Temporality: cumulative}
		} else {
			out.Sum = &Sum{Temporality: cumulative, Monotonic: true}
		}
		for _, k := range slices.Sorted(maps.Keys(s.seriesByMetric[key])) {
			one := s.seriesByMetric[key][k]
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

// Sample is a point of a metric, independent of OTLP.
type Sample struct {
	Name, Help, Unit string
	Labels           []string  // alternating names and values
	Value            float64   // the sum
	Bounds           []float64 // of a histogram: upper bounds of its buckets; nil for a sum
	Counts           []uint64  // one for each bucket, and one for larger values
}

// Samples returns the points of the metrics.
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
		case v.Bool != nil:
			value = strconv.FormatBool(*v.Bool)
		}
		list = append(list, a.Key, value)
	}
	return list
}
