package syntax

// Nest says which brackets of a text belong together.
type Nest struct {
	Close []int // for ( [ {: the index of what closes it, -1 when nothing does and for any other token
	Open  []int // for every token: the bracket it is in, -1 for none
	Depth []int // for every token: how many brackets it is in
}

var opener = map[string]string{")": "(", "]": "[", "}": "{"}

// Nested matches the brackets of tokens. A bracket too many closes nothing, and one that
// is never closed holds all that follows.
func Nested(tokens []Token) Nest {
	n := Nest{Close: make([]int, len(tokens)), Open: make([]int, len(tokens)), Depth: make([]int, len(tokens))}
	var stack []int
	for i, t := range tokens {
		n.Close[i], n.Open[i] = -1, -1
		if want := opener[t.Text]; t.Kind == Mark && want != "" {
			for k := len(stack) - 1; k >= 0; k-- {
				if tokens[stack[k]].Text == want {
					n.Close[stack[k]] = i
					stack = stack[:k]
					break
				}
			}
		}
		if len(stack) > 0 {
			n.Open[i], n.Depth[i] = stack[len(stack)-1], len(stack)
		}
		if t.Is("(") || t.Is("[") || t.Is("{") {
			stack = append(stack, i)
		}
	}
	return n
}
