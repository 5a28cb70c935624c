package belay

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseDuration parses a time like 90s, 30m or 1h30m; a negative one is an error.
func ParseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	switch {
	case err == nil && d >= 0:
		return d, nil
	case err == nil:
		return 0, errors.New("it is negative")
	case IsNumber(s):
		return 0, fmt.Errorf("it has no unit: %ss or %sm", s, s)
	}
	return 0, errors.New("it is not a time with a unit")
}

// Duration formats a time like time.Duration, without zero minutes and seconds.
func Duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// IsNumber reports whether s consists of digits.
func IsNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 64)
	return err == nil
}

// units are the factors of sizes: powers of 1024 with an i, of 1000 without.
var units = []struct {
	name string
	size int64
}{
	{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1},
}

// ParseSize parses a size like 512KiB or 5 GB to bytes.
func ParseSize(s string) (int64, error) {
	if s == "0" {
		return 0, nil
	}
	if IsNumber(s) {
		return 0, fmt.Errorf("it has no unit: %sMiB or %sB", s, s)
	}
	for _, u := range units {
		number, ok := strings.CutSuffix(strings.ToLower(s), strings.ToLower(u.name))
		if !ok {
			continue
		}
		number = strings.TrimSpace(number)
		n, err := strconv.ParseFloat(number, 64)
		if strings.Trim(number, "0123456789.") != "" || err != nil || n*float64(u.size) >= 1<<62 {
			break
		}
		return int64(n * float64(u.size)), nil
	}
	return 0, errors.New("it is not a size with a unit")
}

// Size formats a size in the largest unit of which it is a multiple.
func Size(n int64) string {
	for _, u := range units {
		if n != 0 && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return "0"
}

// RoundSize formats a size rounded for people.
func RoundSize(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	div, exp := int64(unit), 0
	for m := n / unit; m >= unit; m /= unit {
		div *= unit
		exp++
	}
	return fmt.Sprintf("%.1f %ciB", float64(n)/float64(div), "KMGTPE"[exp])
}

// CountOf formats a number with its noun: 1 attempt, 3 attempts, 2 entries.
func CountOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "ry"); ok {
		noun = stem + "rie"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
