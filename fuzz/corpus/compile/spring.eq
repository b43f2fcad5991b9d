# A damped spring with units: try to leave one out, or to write k = 4 [N].
# The solution for weak damping is known, see error.
param m = 1 [kg], c = 0.4 [N*s/m], k = 4 [N/m]
param x0 = 1 [m]
param delta = c/(2*m) [1/s], omega = sqrt(k/m - delta^2) [rad/s]

m*x'' + c*x' + k*x = 0

init x = x0 [m], x' = 0 [m/s]
output E     = m*x'^2/2 + k*x^2/2 [J]
output error = x - x0*exp(-delta*t)*(cos(omega*t) + delta/omega*sin(omega*t)) [m]
run 0 .. 15
