package lazyregexp

// Match is that of regexp.Regexp.
func (r *Regexp) Match(b []byte) bool {
	return r.get().Match(b)
}

// MatchString is that of regexp.Regexp.
func (r *Regexp) MatchString(s string) bool {
	return r.get().MatchString(s)
}

// FindString is that of regexp.Regexp.
func (r *Regexp) FindString(s string) string {
	return r.get().FindString(s)
}

// FindStringIndex is that of regexp.Regexp.
func (r *Regexp) FindStringIndex(s string) []int {
	return r.get().FindStringIndex(s)
}

// FindStringSubmatch is that of regexp.Regexp.
func (r *Regexp) FindStringSubmatch(s string) []string {
	return r.get().FindStringSubmatch(s)
}

// FindStringSubmatchIndex is that of regexp.Regexp.
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.get().FindStringSubmatchIndex(s)
}

// FindSubmatch is that of regexp.Regexp.
func (r *Regexp) FindSubmatch(b []byte) [][]byte {
	return r.get().FindSubmatch(b)
}

// FindAllString is that of regexp.Regexp.
func (r *Regexp) FindAllString(s string, n int) []string {
	return r.get().FindAllString(s, n)
}

// FindAllStringIndex is that of regexp.Regexp.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.get().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is that of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.get().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is that of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.get().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString is that of regexp.Regexp.
func (r *Regexp) ReplaceAllString(src, repl string) string {
	return r.get().ReplaceAllString(src, repl)
}

// Split is regexp.Regexp.Split.
func (r *Regexp) Split(s string, n int) []string {
	return r.get().Split(s, n)
}
