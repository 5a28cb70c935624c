package telemetry

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Settings define where telemetry is sent. A signal without an endpoint is not sent; the zero value
// sends nothing.
type Settings struct {
	Options
	Endpoints map[Signal]string
	Headers   map[Signal]map[string]string
}

// IsOn reports whether anything is sent.
func (s Settings) IsOn() bool { return len(s.Endpoints) > 0 }

// Choices are the config and environment that NewSettings reads.
type Choices struct {
	Endpoint string   // from the trusted config; "" for none
	Headers  []string // from the trusted config: NAME=VALUE
	Content  bool
	Env      func(string) string // the environment
}

const (
	defaultEndpoint = "http://localhost:4318"
	prefix          = "OTEL_EXPORTER_OTLP_"
)

// SwitchVar is the environment variable that switches telemetry on (1) or off (0).
const SwitchVar = "BELAY_TELEMETRY"

// NewSettings returns the settings. An endpoint in the config or BELAY_TELEMETRY=1 switches
// telemetry on, BELAY_TELEMETRY=0 off. OpenTelemetry's own variables count only if it is on, and
// override the config. Error: an invalid value, which the error does not repeat, because it may
// contain a password.
func NewSettings(g Choices) (Settings, error) {
	var s Settings
	if on := g.Env(SwitchVar); on == "0" || on != "1" && g.Endpoint == "" || strings.EqualFold(g.Env("OTEL_SDK_DISABLED"), "true") {
		return s, nil
	}
	s.Content, s.Service = g.Content, "belay"
	attrs, err := parsePairs(g.Env("OTEL_RESOURCE_ATTRIBUTES"))
	if err != nil {
		return s, errors.New("OTEL_RESOURCE_ATTRIBUTES: " + err.Error())
	}
	for _, p := range attrs {
		if p[0] == "service.name" {
			s.Service = p[1]
		} else {
			s.Resource = append(s.Resource, textAttr(p[0], p[1]))
		}
	}
	if v := g.Env("OTEL_SERVICE_NAME"); v != "" {
		s.Service = v
	}
	return s, s.setEndpoints(g)
}

func (s *Settings) setEndpoints(g Choices) error {
	s.Endpoints, s.Headers = map[Signal]string{}, map[Signal]map[string]string{}
	base := g.Env(prefix + "ENDPOINT")
	if base == "" {
		base = g.Endpoint
	}
	own := func(sig Signal, what string) string { return g.Env(prefix + strings.ToUpper(string(sig)) + "_" + what) }
	named := slices.ContainsFunc(Signals, func(sig Signal) bool { return own(sig, "ENDPOINT") != "" })
	if base == "" && !named {
		base = defaultEndpoint
	}
	for _, sig := range Signals {
		at := own(sig, "ENDPOINT")
		if at == "" && base != "" {
			at = strings.TrimSuffix(base, "/") + "/v1/" + string(sig)
		}
		if at == "" || g.Env("OTEL_"+strings.ToUpper(string(sig))+"_EXPORTER") == "none" {
			continue
		}
		if u, err := url.Parse(at); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return errors.New("the endpoint for " + string(sig) + " is no http or https address")
		}
		s.Endpoints[sig] = at
		s.Headers[sig] = map[string]string{}
		for _, list := range []string{strings.Join(g.Headers, ","), g.Env(prefix + "HEADERS"), own(sig, "HEADERS")} {
			found, err := parsePairs(list)
			if err != nil {
				return errors.New("the headers for " + string(sig) + ": " + err.Error())
			}
			for _, p := range found {
				s.Headers[sig][http.CanonicalHeaderKey(p[0])] = p[1]
			}
		}
	}
	return nil
}

// parsePairs parses name=value, separated by commas, with percent-encoded values, as OpenTelemetry
// specifies for its variables.
func parsePairs(list string) (out [][2]string, err error) {
	for one := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(one) == "" {
			continue
		}
		key, value, ok := strings.Cut(one, "=")
		key = strings.TrimSpace(key)
		decoded, derr := url.PathUnescape(strings.TrimSpace(value))
		if !ok || key == "" || derr != nil || strings.ContainsAny(key+decoded, "\r\n\x00") {
			return nil, errors.New("write them as name=value, separated by commas")
		}
		out = append(out, [2]string{key, decoded})
	}
	return out, nil
}
