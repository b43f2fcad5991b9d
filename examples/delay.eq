# A delay of T as the Pade approximation of order n, written as pade(z, T, n): the states behind it have no names.
# Veigend, PhD thesis (Brno 2023), sec. 4.2; for n = 5 the error at t = 2*pi is 2.3e-8 (see pade-msi.eq).
param T = pi/2 [s], omega = 1 [rad/s]
param n = 5
input z = sin(omega*t)

y = pade(z, T, n)

output error = y - sin(omega*(t - T))      # once the transient of the start is gone
run 0 .. 2*pi
