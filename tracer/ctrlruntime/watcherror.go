package ctrlruntime

import (
	"context"
	"slices"
	"strings"

	toolscache "k8s.io/client-go/tools/cache"
)

// watch notes that the controller watches a kind.
func (c *controller) watch(kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.watches, kind) {
		c.watches = append(c.watches, kind)
	}
}

// watchResource notes that the controller watches a resource.
func (c *controller) watchResource(resource string) {
	if c == nil || resource == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.resources, resource) {
		c.resources = append(c.resources, resource)
	}
}

// othersThatWatch are the controllers of the manager that watch a resource, beside
// one of them.
func (s *setup) othersThatWatch(controller, resource string) (names []string) {
	for _, c := range s.all() {
		c.mu.Lock()
		if c.name != controller && slices.Contains(c.resources, resource) {
			names = append(names, c.name)
		}
		c.mu.Unlock()
	}
	return names
}

func (c *controller) watchesKind(kind string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.watches, kind)
}

// watchErrors shows a watch's errors with every controller that has the watch,
// and goes on to next (nil: client-go's own handler).
func (s *setup) watchErrors(next toolscache.WatchErrorHandlerWithContext) toolscache.WatchErrorHandlerWithContext {
	if next == nil {
		next = toolscache.DefaultWatchErrorHandler
	}
	nothing := func(context.Context, *toolscache.Reflector, error) {}
	return func(ctx context.Context, r *toolscache.Reflector, err error) {
		kind := kindOfReflector(r.TypeDescription())
		for _, c := range s.all() {
			if t := c.trace(); c.watchesKind(kind) {
				t.WatchErrorHandler(kind, nothing)(ctx, r, err)
			}
		}
		next(ctx, r, err)
	}
}

// kindOfReflector is the kind in what a reflector says of its type: "*v1.Pod" or
// "apps/v1, Kind=Deployment".
func kindOfReflector(description string) string {
	return description[strings.LastIndexAny(description, ".=")+1:]
}
