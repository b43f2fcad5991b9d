# A delay of T by the Pade approximation of order 5, with an additional variable v (MDORAV).
# Veigend, PhD thesis (Brno 2023), sec. 4.2.1 (4.11), (4.12); the error at t = 2*pi is 2.3e-8.
param T = pi/2 [s], omega = 1 [rad/s]
input z = sin(omega*t)

T^5*v''''' + 30*T^4*v'''' + 420*T^3*v''' + 3360*T^2*v'' + 15120*T*v' + 30240*v = z

y = 30240*v - 15120*T*v' + 3360*T^2*v'' - 420*T^3*v''' + 30*T^4*v'''' - T^5*v'''''

init v = 0, v' = 0, v'' = 0, v''' = 0, v'''' = 0
output error = y - sin(omega*(t - T))      # once the transient of the start is gone
run 0 .. 2*pi
