package count

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Tables returns a Markdown parser extension for the tables of GitHub's format
// (https://github.github.com/gfm/#tables-extension-), as nodes of goldmark's package extension/ast.
// Cell text keeps its escapes.
//
// goldmark's own extension returns the same nodes. It is not used because its package compiles
// regular expressions for links and typography, which took half of the start-up time of every belay
// command.
func Tables() util.PrioritizedValue {
	return util.Prioritized(tableReader{}, 200)
}

type tableReader struct{}

// Transform turns the end of a paragraph into a table, from the line above its first delimiter row.
func (tableReader) Transform(p *ast.Paragraph, in text.Reader, _ parser.Context) {
	lines, source := p.Lines(), in.Source()
	for i := 1; i < lines.Len(); i++ {
		below := lines.At(i)
		columns, ok := delimiters(below.Value(source))
		if !ok {
			continue
		}
		cells := cellsOf(lines.At(i-1), source)
		if len(cells) > len(columns) {
			return
		}
		table := tables.NewTable()
		table.Alignments = columns
		table.SetPos(p.Pos())
		table.AppendChild(table, tables.NewTableHeader(tableRow(lines.At(i-1), cells, columns)))
		for j := i + 1; j < lines.Len(); j++ {
			table.AppendChild(table, tableRow(lines.At(j), cellsOf(lines.At(j), source), columns))
		}
		parent := p.Parent()
		parent.InsertAfter(parent, p, table)
		if i == 1 {
			parent.RemoveChild(parent, p)
			return
		}
		lines.SetSliced(0, i-1)
		last := lines.At(i - 2)
		last.Stop-- // its line end
		lines.Set(i-2, last)
		return
	}
}

// delimiters parses the row below a table's head, such as "| --- | :-: |".
func delimiters(line []byte) (columns []tables.Alignment, ok bool) {
	if indent, _ := util.IndentWidth(line, 0); indent > 3 || !bytes.ContainsAny(line, "|: \t\r\n\f\v") {
		return nil, false
	}
	parts := bytes.Split(line, []byte("|"))
	if util.IsBlank(parts[0]) {
		parts = parts[1:]
	}
	if n := len(parts); n > 0 && util.IsBlank(parts[n-1]) {
		parts = parts[:n-1]
	}
	for _, part := range parts {
		part = util.TrimLeftSpace(util.TrimRightSpace(part))
		dashes, left := bytes.CutPrefix(part, []byte(":"))
		dashes, right := bytes.CutSuffix(dashes, []byte(":"))
		if len(dashes) == 0 || len(bytes.Trim(dashes, "-")) > 0 {
			return nil, false
		}
		align := tables.AlignNone
		switch {
		case left && right:
			align = tables.AlignCenter
		case left:
			align = tables.AlignLeft
		case right:
			align = tables.AlignRight
		}
		columns = append(columns, align)
	}
	return columns, len(columns) > 0
}

type cell struct {
	at   int // start in its line, in bytes
	text text.Segment
}

// cellsOf splits a line at unescaped bars.
func cellsOf(line text.Segment, source []byte) (cells []cell) {
	inner := line.TrimLeftSpace(source)
	inner = inner.TrimRightSpace(source)
	row := inner.Value(source)
	at, end := 0, len(row)
	if end > 0 && row[0] == '|' {
		at = 1
	}
	if end > 0 && row[end-1] == '|' {
		end--
	}
	for at < end {
		stop := at
		for stop < end && (row[stop] != '|' || stop > 0 && row[stop-1] == '\\') {
			stop++
		}
		part := text.NewSegment(inner.Start+at, inner.Start+stop)
		part = part.TrimLeftSpace(source)
		cells = append(cells, cell{at, part.TrimRightSpace(source)})
		at = stop + 1
	}
	return cells
}

// tableRow returns the row of a line, with as many cells as the table has columns; missing ones are
// empty.
func tableRow(line text.Segment, cells []cell, columns []tables.Alignment) *tables.TableRow {
	row := tables.NewTableRow(columns)
	row.SetPos(line.Start)
	for i, align := range columns {
		n := tables.NewTableCell()
		if i < len(cells) {
			n.SetPos(line.Start + cells[i].at - line.Padding)
			n.Alignment = align
			n.Lines().Append(cells[i].text)
		}
		row.AppendChild(row, n)
	}
	return row
}
