package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// fieldNames are what a command can have.
const fieldNames = "command, controller, item, phase, by, factor, when, fault, count, delay_ms, seconds, verb, resource, id"

// Decode reads a command as the page and programs send it. The error names the
// field and what it must be.
func Decode(body []byte) (wire.Command, error) {
	var c wire.Command
	in := json.NewDecoder(bytes.NewReader(body))
	in.DisallowUnknownFields()
	err := in.Decode(&c)
	if err == nil {
		if _, more := in.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("more than one")
		}
	}
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return c, nil
	case errors.As(err, &wrong) && wrong.Type.Kind() == reflect.Float64 && strings.HasPrefix(wrong.Value, "number "):
		return c, fmt.Errorf("%s is %s, and must be a number of ordinary size", wrong.Field, strings.TrimPrefix(wrong.Value, "number "))
	case errors.As(err, &wrong) && wrong.Field != "":
		return c, fmt.Errorf("%s is a %s, and must be a %s", wrong.Field, wrong.Value, kindOf(wrong.Type.Kind().String()))
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return c, fmt.Errorf("%s is no field of a command: use %s", name, fieldNames)
	}
	return c, errors.New(`the body is not one JSON object like {"command":"pause","controller":"podset"}`)
}

// kindOf is a type's name in JSON.
func kindOf(kind string) string {
	switch kind {
	case "int":
		return "whole number"
	case "float64":
		return "number"
	}
	return kind
}
