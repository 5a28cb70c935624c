package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var manTo = flag.String("man", "", "write the manual pages into this folder, made for `DIR VERSION DATE`")

// TestManPages: each command has a page that groff formats without a warning. make release writes
// them with this test.
func TestManPages(t *testing.T) {
	t.Parallel()
	words := strings.Fields(*manTo)
	if *manTo != "" && len(words) != 3 {
		t.Fatalf("-man takes a folder, a version and a date: %q", *manTo)
	}
	if len(words) == 0 {
		words = []string{t.TempDir(), "1.0", "2026-01-31"}
	}
	root := theRoot()
	pages := append([]*cobra.Command{root}, listed(root)...)
	for _, c := range pages {
		file := filepath.Join(words[0], strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
		if err := os.WriteFile(file, []byte(manPage(c, words[1], words[2])), 0o644); err != nil {
			t.Fatal(err)
		}
		if out := groff(t, file); out != "" {
			t.Errorf("%s: %s", file, out)
		}
	}
	if *manTo == "" {
		text := manPage(find1(t, root, "snapshot", "take"), words[1], words[2])
		for _, want := range []string{`.TH BELAY\-SNAPSHOT\-TAKE 1 "2026-01-31" "belay 1.0"`, `belay\-snapshot\-take \- Take a snapshot`,
			"Exit codes: 0 taken", `\-\-expected\-files`, `belay snapshot take \-m "before lunch"`, ".BR belay\\-snapshot (1)"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in:\n%s", want, text)
			}
		}
	}
}

func find1(t *testing.T, root *cobra.Command, args ...string) *cobra.Command {
	t.Helper()
	c, _, err := root.Find(args)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// groff returns groff's warnings; "" if it is not installed.
func groff(t *testing.T, file string) string {
	t.Helper()
	if _, err := exec.LookPath("groff"); err != nil {
		return ""
	}
	out, _ := exec.Command("groff", "-Kutf8", "-man", "-Tutf8", "-ww", "-z", file).CombinedOutput()
	return string(out)
}

// manPage formats a command's help as a manual page.
func manPage(c *cobra.Command, version, date string) string {
	var b strings.Builder
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %s 1 \"%s\" \"belay %s\" \"User Commands\"\n", roff(strings.ToUpper(name)), date, version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(c.Short))
	section := func(title, text string) {
		if text = strings.Trim(text, "\n"); text != "" {
			fmt.Fprintf(&b, ".SH %s\n.nf\n%s\n.fi\n", title, roff(text))
		}
	}
	section("SYNOPSIS", c.UseLine())
	section("DESCRIPTION", c.Long)
	var below []string
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			below = append(below, fmt.Sprintf("%-14s %s", sub.Name(), sub.Short))
		}
	}
	section("COMMANDS", strings.Join(below, "\n"))
	section("OPTIONS", c.NonInheritedFlags().FlagUsages())
	section("OPTIONS OF ALL COMMANDS", c.InheritedFlags().FlagUsages())
	section("EXAMPLES", c.Example)
	var also []string
	if c.HasParent() {
		also = append(also, c.Parent().CommandPath())
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			also = append(also, sub.CommandPath())
		}
	}
	if len(also) > 0 {
		b.WriteString(".SH SEE ALSO\n")
		for i, path := range also {
			comma := map[bool]string{true: ",", false: ""}[i < len(also)-1]
			fmt.Fprintf(&b, ".BR %s (1)%s\n", roff(strings.ReplaceAll(path, " ", "-")), comma)
		}
	}
	return b.String()
}

// roff escapes a text.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
