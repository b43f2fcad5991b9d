# The delay by Pade of order 5 (MSI) when its input comes from outside, sampled 100 times: the error is now 0.02.
# Veigend, PhD thesis (Brno 2023), sec. 4.2.3 (4.20), Table 4.20; each step holds the value of its end.
param T = pi/2 [s], omega = 1 [rad/s]
param Ts = 2*pi/100 [s]
init z = 0
every Ts: z = sin(omega*(t + Ts))

y   = v5 - z
v5' =    30/T  *( z - y) + v4
v4' =   420/T^2*(-z - y) + v3
v3' =  3360/T^3*( z - y) + v2
v2' = 15120/T^4*(-z - y) + v1
v1' = 30240/T^5*( z - y)

init v5 = 0, v4 = 0 [1/s], v3 = 0 [1/s^2], v2 = 0 [1/s^3], v1 = 0 [1/s^4]
output error = y - sin(omega*(t - T))      # once the transient of the start is gone
run 0 .. 2*pi
