package count_test

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/count"
)

func TestScript(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"<p>é</p>\n<script>\nlet a = 1;\n</script>\n<b/>":                          "\n\nlet a = 1;\n\n",
		"<SCRIPT lang=\"ts\">a</SCRIPT>\n<script setup>\nb = '<script>';</script>": "ts a\n\nb = '<script>';",
		"<script>\nnot closed":                   "\nnot closed",
		"<template>\n<p/>\n</template></script>": "none",
		"<scripts>a</scripts>":                   "none",
	} {
		got, ts := count.ExtractScript([]byte(src))
		if got != nil && len(got) != len(src) {
			t.Errorf("%q: %d bytes", src, len(got))
		}
		var lines []string
		for _, l := range strings.Split(string(got), "\n") {
			lines = append(lines, strings.TrimSpace(l))
		}
		said := strings.Join(lines, "\n")
		if got == nil {
			said = "none"
		}
		if ts {
			said = "ts " + said
		}
		if said != want {
			t.Errorf("%q: %q, not %q", src, said, want)
		}
	}
}
