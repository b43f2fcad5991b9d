# The heater of delay-loop.eq with the true dead time, beside the same loop with its Pade approximation of order n.
# The step of the set point is smoothed by the heater, so the approximation is good; n = 1 shows that it is one.
param K = 2 [K/W], tau = 5 [s], Td = 0.5 [s]      # the process
param Kp = 1 [W/K], Ti = 4 [s]                    # the controller
param ambient = 20 [K], n = 3
input r = ambient + 30*step(t - 1) [K]            # the set point

P = Kp*(e + I) [W]                                # with delay(x, Td)
I' = e/Ti
e = r - measured [K]
x' = (K*P - (x - ambient))/tau
measured = delay(x, Td)

P_n = Kp*(e_n + I_n) [W]                          # with pade(x, Td, n)
I_n' = e_n/Ti
e_n = r - measured_n [K]
x_n' = (K*P_n - (x_n - ambient))/tau
measured_n = pade(x_n, Td, n)

init I = 0 [K], x = 20 [K], I_n = 0 [K], x_n = 20 [K]
output difference = measured_n - measured [K]
run 0 .. 60
