package infer

// java adds the Java side of the spec, if there is one.
func (b *inference) java() error { return nil }
