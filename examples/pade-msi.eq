# A delay of T by the Pade approximation of order 5, by successive integration (MSI).
# Veigend, PhD thesis (Brno 2023), sec. 4.2.2 (4.17); the error at t = 2*pi is 2.3e-8.
param T = pi/2 [s], omega = 1 [rad/s]
input z = sin(omega*t)

y   = v5 - z
v5' =    30/T  *( z - y) + v4
v4' =   420/T^2*(-z - y) + v3
v3' =  3360/T^3*( z - y) + v2
v2' = 15120/T^4*(-z - y) + v1
v1' = 30240/T^5*( z - y)

init v5 = 0, v4 = 0 [1/s], v3 = 0 [1/s^2], v2 = 0 [1/s^3], v1 = 0 [1/s^4]
output error = y - sin(omega*(t - T))      # once the transient of the start is gone
run 0 .. 2*pi
