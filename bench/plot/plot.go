// Package plot draws measured costs as an SVG file.
package plot

import (
	"fmt"
	"html"
	"math"
	"os"
	"slices"
	"strings"
)

// Point is a measured cost at one size.
type Point struct {
	Size int
	Cost float64
}

// The plot's frame, in pixels.
const (
	width, height    = 860, 460
	left, right      = 70, 250
	top, bottom      = 30, 50
	innerW, innerH   = width - left - right, height - top - bottom
	font, background = "font-family='sans-serif' font-size='12'", "#ffffff"
)

var colours = []string{"#555555", "#0b6e4f", "#c84b31", "#7b5ea7", "#b8860b", "#2c6fbb", "#888888", "#d1495b"}

// Write draws cost against size, both logarithmic, into the file path, with one line for each name.
// what and unit label the axes of sizes and costs. Without points it writes nothing.
func Write(path, title, what, unit string, lines map[string][]Point) error {
	var all []Point
	for _, l := range lines {
		all = append(all, l...)
	}
	if len(all) == 0 {
		return nil
	}
	x0, x1, y0, y1 := math.Inf(1), 0.0, math.Inf(1), 0.0
	for _, p := range all {
		x0, x1 = min(x0, float64(p.Size)), max(x1, float64(p.Size))
		y0, y1 = min(y0, p.Cost), max(y1, p.Cost)
	}
	y0, y1 = math.Pow(10, math.Floor(math.Log10(y0))), math.Pow(10, math.Ceil(math.Log10(y1)))
	if x0 == x1 {
		x0, x1 = x0/2, x1*2
	}
	x := func(v float64) float64 {
		return left + innerW*(math.Log(v)-math.Log(x0))/(math.Log(x1)-math.Log(x0))
	}
	y := func(v float64) float64 {
		return top + innerH*(1-(math.Log(v)-math.Log(y0))/(math.Log(y1)-math.Log(y0)))
	}
	title = html.EscapeString(title)
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' %s>\n<title>%s</title>\n"+
		"<rect width='100%%' height='100%%' fill='%s'/>\n<text x='%d' y='18' font-weight='bold'>%s</text>\n",
		width, height, font, title, background, left, title)
	for v := y0; v <= y1*1.01; v *= 10 {
		fmt.Fprintf(&b, "<path d='M%d %.1fH%d' stroke='#dddddd'/><text x='%d' y='%.1f' text-anchor='end'>%g "+
			"%s</text>\n", left, y(v), left+innerW, left-6, y(v)+4, v, unit)
	}
	var sizes []int
	for _, p := range all {
		sizes = append(sizes, p.Size)
	}
	slices.Sort(sizes)
	for _, n := range slices.Compact(sizes) {
		fmt.Fprintf(&b, "<path d='M%.1f %dV%d' stroke='#eeeeee'/><text x='%.1f' y='%d' "+
			"text-anchor='middle'>%d</text>\n", x(float64(n)), top, top+innerH, x(float64(n)), top+innerH+18, n)
	}
	fmt.Fprintf(&b, "<text x='%d' y='%d' text-anchor='middle'>%s</text>\n", left+innerW/2, height-12, what)
	names := make([]string, 0, len(lines))
	for name := range lines {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, c string) int { return int(1000 * (last(lines[c]) - last(lines[a]))) })
	for i, name := range names {
		colour := colours[i%len(colours)]
		var d strings.Builder
		for j, p := range lines[name] {
			fmt.Fprintf(&d, "%c%.1f %.1f", "ML"[min(j, 1)], x(float64(p.Size)), y(p.Cost))
			fmt.Fprintf(&b, "<circle cx='%.1f' cy='%.1f' r='3' fill='%s'/>\n", x(float64(p.Size)), y(p.Cost), colour)
		}
		row := top + 10 + 20*i
		fmt.Fprintf(&b, "<path d='%s' fill='none' stroke='%s' stroke-width='2'/>\n"+
			"<rect x='%d' y='%d' width='12' height='12' fill='%s'/><text x='%d' y='%d'>%s</text>\n",
			d.String(), colour, width-right+16, row-10, colour, width-right+34, row, html.EscapeString(name))
	}
	b.WriteString("</svg>\n")
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

func last(l []Point) float64 { return l[len(l)-1].Cost }
