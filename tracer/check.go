package tracer

// Check tells what Start would make of c: whether tracing would be on, or which
// setting is wrong. Controller may be empty. Nothing is started.
func (c Config) Check() (on bool, err error) {
	if c.Controller == "" {
		c.Controller = "none"
	}
	c, err = c.withDefaults()
	return err == nil && c.Endpoint != "", err
}
