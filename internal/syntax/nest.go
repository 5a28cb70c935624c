package syntax

// Brackets says which brackets of a text belong together.
type Brackets struct {
	Close []int // for ( [ {: the index of what closes it, -1 when nothing does and for any other token
	Open  []int // for every token: the bracket it is in, -1 for none
	Depth []int // for every token: how many brackets it is in
}

var openingBrackets = map[string]string{")": "(", "]": "[", "}": "{"}

// MatchBrackets matches the brackets of tokens. A bracket too many closes nothing, and one that
// is never closed holds all that follows.
func MatchBrackets(tokens []Token) Brackets {
	n := Brackets{Close: make([]int, len(tokens)), Open: make([]int, len(tokens)), Depth: make([]int, len(tokens))}
	var stack []int
	open := map[string]int{} // how many of each are on the stack: a bracket too many is not looked for in all of it
	for i, t := range tokens {
		n.Close[i], n.Open[i] = -1, -1
		if want := openingBrackets[t.Text]; t.Kind == Mark && open[want] > 0 {
			for last := ""; last != want; {
				k := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				last = tokens[k].Text
				if open[last]--; last == want {
					n.Close[k] = i
				}
			}
		}
		if len(stack) > 0 {
			n.Open[i], n.Depth[i] = stack[len(stack)-1], len(stack)
		}
		if t.Is("(") || t.Is("[") || t.Is("{") {
			stack = append(stack, i)
			open[t.Text]++
		}
	}
	return n
}
