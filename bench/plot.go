package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
)

// point is the median cost of one command at one size.
type point struct {
	files int
	ms    float64
}

// The plot's frame, in pixels.
const (
	plotWidth, plotHeight    = 860, 460
	plotLeft, plotRight      = 70, 250
	plotTop, plotBottom      = 30, 50
	plotInnerW, plotInnerH   = plotWidth - plotLeft - plotRight, plotHeight - plotTop - plotBottom
	plotFont, plotBackground = "font-family='sans-serif' font-size='12'", "#ffffff"
)

var colours = []string{"#555555", "#0b6e4f", "#c84b31", "#7b5ea7", "#b8860b", "#2c6fbb", "#888888", "#d1495b"}

// plot draws cost against repository size, both logarithmic, one line for each command.
func plot(path, title string, lines map[string][]point) error {
	var all []point
	for _, l := range lines {
		all = append(all, l...)
	}
	if len(all) == 0 {
		return nil
	}
	x0, x1, y0, y1 := math.Inf(1), 0.0, math.Inf(1), 0.0
	for _, p := range all {
		x0, x1 = min(x0, float64(p.files)), max(x1, float64(p.files))
		y0, y1 = min(y0, p.ms), max(y1, p.ms)
	}
	y0, y1 = math.Pow(10, math.Floor(math.Log10(y0))), math.Pow(10, math.Ceil(math.Log10(y1)))
	if x0 == x1 {
		x0, x1 = x0/2, x1*2
	}
	x := func(v float64) float64 {
		return plotLeft + plotInnerW*(math.Log(v)-math.Log(x0))/(math.Log(x1)-math.Log(x0))
	}
	y := func(v float64) float64 {
		return plotTop + plotInnerH*(1-(math.Log(v)-math.Log(y0))/(math.Log(y1)-math.Log(y0)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' %s>\n<title>%s</title>\n"+
		"<rect width='100%%' height='100%%' fill='%s'/>\n<text x='%d' y='18' font-weight='bold'>%s</text>\n",
		plotWidth, plotHeight, plotFont, title, plotBackground, plotLeft, title)
	for v := y0; v <= y1*1.01; v *= 10 {
		fmt.Fprintf(&b, "<path d='M%d %.1fH%d' stroke='#dddddd'/><text x='%d' y='%.1f' text-anchor='end'>%g "+
			"ms</text>\n", plotLeft, y(v), plotLeft+plotInnerW, plotLeft-6, y(v)+4, v)
	}
	var sizes []int
	for _, p := range all {
		sizes = append(sizes, p.files)
	}
	slices.Sort(sizes)
	for _, n := range slices.Compact(sizes) {
		fmt.Fprintf(&b, "<path d='M%.1f %dV%d' stroke='#eeeeee'/><text x='%.1f' y='%d' "+
			"text-anchor='middle'>%d</text>\n", x(float64(n)), plotTop, plotTop+plotInnerH, x(float64(n)), plotTop+plotInnerH+18, n)
	}
	fmt.Fprintf(&b, "<text x='%d' y='%d' text-anchor='middle'>files</text>\n", plotLeft+plotInnerW/2, plotHeight-12)
	names := make([]string, 0, len(lines))
	for name := range lines {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, c string) int { return int(1000 * (last(lines[c]) - last(lines[a]))) })
	for i, name := range names {
		colour := colours[i%len(colours)]
		var d strings.Builder
		for j, p := range lines[name] {
			fmt.Fprintf(&d, "%c%.1f %.1f", "ML"[min(j, 1)], x(float64(p.files)), y(p.ms))
			fmt.Fprintf(&b, "<circle cx='%.1f' cy='%.1f' r='3' fill='%s'/>\n", x(float64(p.files)), y(p.ms), colour)
		}
		row := plotTop + 10 + 20*i
		fmt.Fprintf(&b, "<path d='%s' fill='none' stroke='%s' stroke-width='2'/>\n"+
			"<rect x='%d' y='%d' width='12' height='12' fill='%s'/><text x='%d' y='%d'>%s</text>\n",
			d.String(), colour, plotWidth-plotRight+16, row-10, colour, plotWidth-plotRight+34, row, name)
	}
	b.WriteString("</svg>\n")
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

func last(l []point) float64 { return l[len(l)-1].ms }
