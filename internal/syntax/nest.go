package syntax

// Brackets are the matched brackets of a text.
type Brackets struct {
	Close []int // for ( [ {: index of the closing bracket; -1 without one, and for any other token
	Open  []int // for every token: the bracket it is in, -1 for none
	Depth []int // for every token: number of brackets around it
}

var openingBrackets = map[string]string{")": "(", "]": "[", "}": "{"}

// MatchBrackets matches the brackets of tokens. A surplus closing bracket is ignored, and an
// unclosed one contains everything behind it.
func MatchBrackets(tokens []Token) Brackets {
	n := Brackets{Close: make([]int, len(tokens)), Open: make([]int, len(tokens)), Depth: make([]int, len(tokens))}
	var stack []int
	open := map[string]int{} // number on the stack by bracket, so that the stack is not searched for a surplus one
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
