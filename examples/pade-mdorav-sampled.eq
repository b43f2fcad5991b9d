# The delay by Pade of order 5 (MDORAV) when its input comes from outside, sampled 100 times: the error is now 0.02.
# Veigend, PhD thesis (Brno 2023), sec. 4.2.3 (4.15), Table 4.18; each step holds the value of its end.
param T = pi/2 [s], omega = 1 [rad/s]
param Ts = 2*pi/100 [s]
init z = 0
every Ts: z = sin(omega*(t + Ts))

T^5*v''''' + 30*T^4*v'''' + 420*T^3*v''' + 3360*T^2*v'' + 15120*T*v' + 30240*v = z

y = 30240*v - 15120*T*v' + 3360*T^2*v'' - 420*T^3*v''' + 30*T^4*v'''' - T^5*v'''''

init v = 0, v' = 0, v'' = 0, v''' = 0, v'''' = 0
output error = y - sin(omega*(t - T))      # once the transient of the start is gone
run 0 .. 2*pi
