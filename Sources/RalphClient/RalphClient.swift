/// The other end of the interface: what tools on this machine and elsewhere ask a server.
public enum RalphClient {}
