// Package config reads .belay/config.yaml, strictly, and says where each value comes from. It is also the one
// place that says which commands may run: a Command can be made here alone, from what a person typed or
// trusted.
package config
