package config

import (
	"strconv"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// show returns the effective value in the form of a flag, "" if it is not set.
func (k key) show(c Config) string {
	if _, set := c.from[k.name]; k.def == "" && !set {
		return ""
	}
	switch v := k.field(&c).(type) {
	case *int:
		return strconv.Itoa(*v)
	case *int64:
		return belay.Size(*v)
	case *float64:
		return strconv.FormatFloat(*v, 'f', -1, 64)
	case *time.Duration:
		return belay.Duration(*v)
	case *bool:
		return strconv.FormatBool(*v)
	case *string:
		return belay.VisibleLine(*v)
	case *belay.RetryMode:
		return string(*v)
	case *[]string:
		return WriteList(*v)
	case *belay.TestCommand:
		if v.Command != "" {
			return belay.VisibleLine(v.Command)
		}
		return WriteList(v.Args)
	}
	return ""
}
