package main

import "testing"

// TestNamespace: each command asks the namespace of --namespace, of the environment, or "default".
func TestNamespace(t *testing.T) {
	for _, c := range []struct{ flag, env, want string }{{"", "", "default"}, {"", "team", "team"}, {"other", "team", "other"}} {
		t.Setenv("TEMPORAL_NAMESPACE", c.env)
		a := &program{namespace: c.flag}
		o, err := a.options()
		if err != nil || o.Namespace != c.want || a.namespace != c.want {
			t.Errorf("%+v: client %q, commands %q, %v", c, o.Namespace, a.namespace, err)
		}
	}
}
