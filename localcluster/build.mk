# Link flags for the localcluster binary. kubectl and client-go parse the API
# server's version, so the version of the Kubernetes module is stamped into it,
# read from this module's go.mod so that it is written in one place only.
LOCALCLUSTER_DIR := $(dir $(lastword $(MAKEFILE_LIST)))
LOCALCLUSTER_KUBERNETES := $(shell awk '$$1 == "k8s.io/kubernetes" { print $$2; exit }' $(LOCALCLUSTER_DIR)go.mod)
LOCALCLUSTER_MINOR := $(word 2,$(subst ., ,$(LOCALCLUSTER_KUBERNETES)))
LOCALCLUSTER_VERSION_PKG := k8s.io/component-base/version
LOCALCLUSTER_LDFLAGS := -s -w \
	-X $(LOCALCLUSTER_VERSION_PKG).gitVersion=$(LOCALCLUSTER_KUBERNETES) \
	-X $(LOCALCLUSTER_VERSION_PKG).gitMajor=1 \
	-X $(LOCALCLUSTER_VERSION_PKG).gitMinor=$(LOCALCLUSTER_MINOR) \
	-X $(LOCALCLUSTER_VERSION_PKG).gitTreeState=clean
